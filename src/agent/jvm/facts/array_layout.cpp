// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/facts/array_layout.hpp"

namespace polytrace::agent::jvm {

namespace {

ArrayLayout g_references;
std::uint32_t g_bytes_base = 16;
std::uint32_t g_longs_base = 16;

jlong size_of(jobject object) {
  jlong size = 0;
  return ok(vm().ti->GetObjectSize(object, &size)) ? size : 0;
}

// Sizes are rounded up to 8: the base shows by the first length that makes an array grow.
template <class Make>
std::uint32_t base_of(JNIEnv* env, jint element, Make make) {
  const Local<jobject> none(env, make(0));
  const jlong least = size_of(none.get());
  for (jint length = 1; length * element <= 8; ++length) {
    const Local<jobject> some(env, make(length));
    if (const jlong size = size_of(some.get()); size > least)
      return static_cast<std::uint32_t>(least - (length - 1) * element);
  }
  return static_cast<std::uint32_t>(least);
}

}  // namespace

void measure_arrays(JNIEnv* env) {
  constexpr jint kMany = 64;
  const Local<jclass> type(env, env->FindClass("java/lang/Object"));
  const auto references = [&](jint length) {
    return env->NewObjectArray(length, type.get(), nullptr);
  };
  const Local<jobject> none(env, references(0));
  const Local<jobject> many(env, references(kMany));
  g_references.element =
      static_cast<std::uint32_t>((size_of(many.get()) - size_of(none.get()) + kMany / 2) / kMany);
  g_references.base = base_of(env, static_cast<jint>(g_references.element), references);
  g_bytes_base = base_of(env, 1, [&](jint length) { return env->NewByteArray(length); });
  g_longs_base = base_of(env, 8, [&](jint length) { return env->NewLongArray(length); });
}

ArrayLayout array_layout(std::string_view name) {
  switch (name.size() == 2 ? name[1] : 'L') {
    case 'Z':
    case 'B': return {g_bytes_base, 1};
    case 'C':
    case 'S': return {g_bytes_base, 2};
    case 'I':
    case 'F': return {g_bytes_base, 4};
    case 'J':
    case 'D': return {g_longs_base, 8};
    default: return g_references;
  }
}

}  // namespace polytrace::agent::jvm
