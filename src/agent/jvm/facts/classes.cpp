// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/facts/classes.hpp"

#include <mutex>
#include <vector>

#include "agent/jvm/facts/names.hpp"
#include "agent/jvm/facts/registry.hpp"

namespace polytrace::agent::jvm {

namespace {

std::mutex g_loaders;
std::vector<std::string>& loader_names() {
  static auto& names = *new std::vector<std::string>(1);
  return names;
}

std::string interfaces_of(JNIEnv* env, jclass type) {
  jint count = 0;
  TiMemory<jclass> interfaces;
  std::string text;
  if (!ok(vm().ti->GetImplementedInterfaces(type, &count, interfaces.out()))) return text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Local<jclass> interface(env, interfaces[i]);
    if (!text.empty()) text += ' ';
    text += name_of_class(interface.get());
  }
  return text;
}

void define_class(JNIEnv* env, jclass type, std::uint64_t loader, std::string_view name,
                  std::uint32_t number) {
  const Local<jclass> super(env, env->GetSuperclass(type));
  const std::string super_name = super ? name_of_class(super.get()) : "";
  const std::string interfaces = interfaces_of(env, type);
  const std::string loader_name = name_of_loader(loader);
  TiText source;
  vm().ti->GetSourceFileName(type, source.out());
  event::Class details;
  details.name = name;
  details.super = super_name;
  details.interfaces = interfaces;
  details.source = source.view();
  details.loader = loader_name;
  Registry::the().define_class(number, details);
}

}  // namespace

std::string name_of_class(jclass type) {
  TiText signature;
  vm().ti->GetClassSignature(type, signature.out(), nullptr);
  return class_name(signature.view());
}

std::uint64_t number_of_loader(JNIEnv* env, jobject loader) {
  if (loader == nullptr) return 0;
  bool is_new = false;
  const std::uint64_t number = number_of(tagged(loader, TagKind::loader, is_new));
  if (is_new) {
    const Local<jclass> type(env, env->GetObjectClass(loader));
    const std::string name = name_of_class(type.get());
    const std::lock_guard guard(g_loaders);
    if (loader_names().size() <= number) loader_names().resize(number + 1);
    loader_names()[number] = name;
  }
  return number;
}

std::string name_of_loader(std::uint64_t loader) {
  const std::lock_guard guard(g_loaders);
  return loader < loader_names().size() ? loader_names()[loader] : "";
}

// The class object's tag is the number: names are asked for once.
std::uint32_t number_of_class(JNIEnv* env, jclass type) {
  Registry& registry = Registry::the();
  if (const jlong tag = tag_of(type); kind_of(tag) == TagKind::class_) {
    const auto number = static_cast<std::uint32_t>(number_of(tag));
    if (registry.is_defined(number)) return number;
  }
  Local<jobject> loader(env, [&] {
    jobject object = nullptr;
    vm().ti->GetClassLoader(type, &object);
    return object;
  }());
  const std::uint64_t loader_number = number_of_loader(env, loader.get());
  const std::string name = name_of_class(type);
  const std::uint32_t number = registry.class_of(loader_number, name);
  if (number == 0) return 0;
  if (!registry.is_defined(number)) define_class(env, type, loader_number, name, number);
  vm().ti->SetTag(type, make_tag(TagKind::class_, number));
  return number;
}

std::uint32_t number_of_class_of(JNIEnv* env, jobject object) {
  const Local<jclass> type(env, env->GetObjectClass(object));
  return number_of_class(env, type.get());
}

}  // namespace polytrace::agent::jvm
