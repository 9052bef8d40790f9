// SPDX-License-Identifier: Apache-2.0
// The natives of the probe, exported under the names the VM looks for. They call nothing of the VM
// but once per thread and per place that allocates; grid0 asks its array for lengths.
#include "agent/common/record/recorder.hpp"
#include "agent/jvm/code/probe.hpp"
#include "agent/jvm/code/sites.hpp"
#include "agent/jvm/facts/threads.hpp"

namespace polytrace::agent::jvm {

extern "C" {

[[gnu::visibility("default")]] void probe_enter(JNIEnv* env, jclass, jint method) __asm__(
    "Java_java_lang__00024TraceProbe_enter0");
[[gnu::visibility("default")]] void probe_exit(JNIEnv* env, jclass, jint method) __asm__(
    "Java_java_lang__00024TraceProbe_exit0");
[[gnu::visibility("default")]] void probe_unwind(JNIEnv* env, jclass, jint method) __asm__(
    "Java_java_lang__00024TraceProbe_unwind0");
[[gnu::visibility("default")]] void probe_site(JNIEnv* env, jclass, jint site) __asm__(
    "Java_java_lang__00024TraceProbe_site0");
[[gnu::visibility("default")]] void probe_array(
    JNIEnv* env, jclass, jint length, jint site) __asm__("Java_java_lang__00024TraceProbe_array0");
[[gnu::visibility("default")]] void probe_grid(
    JNIEnv* env, jclass, jobject array, jint site) __asm__("Java_java_lang__00024TraceProbe_grid0");

}  // extern "C"

namespace {

// A thread's first event, and others now and then.
[[gnu::noinline]] void record_slowly(JNIEnv* env, std::uint64_t word, std::uint64_t follows) {
  if (meet_thread(env)) agent::record_word_slowly(word, follows);
}

auto slowly(JNIEnv* env) {
  return [env](std::uint64_t word, std::uint64_t follows) { record_slowly(env, word, follows); };
}

}  // namespace

void probe_enter(JNIEnv* env, jclass, jint method) {
  agent::enter(static_cast<std::uint32_t>(method), slowly(env));
}

void probe_exit(JNIEnv* env, jclass, jint method) {
  agent::leave(static_cast<std::uint32_t>(method), slowly(env));
}

void probe_unwind(JNIEnv* env, jclass, jint method) {
  agent::unwind(static_cast<std::uint32_t>(method), slowly(env));
}

void probe_site(JNIEnv* env, jclass, jint site) {
  meet_site(env, static_cast<std::uint32_t>(site));
  agent::alloc_at(static_cast<std::uint32_t>(site), slowly(env));
}

void probe_array(JNIEnv* env, jclass, jint length, jint site) {
  agent::alloc_array_at(static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(length),
                        slowly(env));
}

void probe_grid(JNIEnv* env, jclass, jobject array, jint site) {
  if (meet_thread(env)) [[likely]]
    record_grid(env, array, static_cast<std::uint32_t>(site));
}

namespace {

template <class Function>
JNINativeMethod native(const char* name, const char* descriptor, Function* function) {
  return {const_cast<char*>(name), const_cast<char*>(descriptor),
          reinterpret_cast<void*>(function)};
}

}  // namespace

std::span<const JNINativeMethod> probe_natives() {
  static const JNINativeMethod natives[] = {
      native("enter0", "(I)V", probe_enter),
      native("exit0", "(I)V", probe_exit),
      native("unwind0", "(I)V", probe_unwind),
      native("site0", "(I)V", probe_site),
      native("array0", "(II)V", probe_array),
      native("grid0", "(Ljava/lang/Object;I)V", probe_grid),
  };
  return natives;
}

}  // namespace polytrace::agent::jvm
