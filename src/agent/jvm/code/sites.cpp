// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/code/sites.hpp"

#include <mutex>
#include <string>
#include <unordered_map>

#include "agent/jvm/facts/array_layout.hpp"
#include "agent/jvm/facts/names.hpp"
#include "agent/jvm/facts/registry.hpp"
#include "agent/jvm/facts/threads.hpp"

namespace polytrace::agent::jvm {

constinit SiteMarks g_site_marks{};

namespace {

constexpr jint kCallersFrame = 2;  // of the probe's native: above it are its own two

struct ObjectSite {
  Site site;
  std::string class_name;
  std::string key;  // of its class: a name means one class in the code of one loader
};

struct Sites {
  std::mutex mutex;  // of what follows; never held while the VM is called
  std::unordered_map<std::uint32_t, ObjectSite> unused;  // by number
  std::unordered_map<std::string, std::uint64_t> sizes;  // by key
  std::uint32_t last = 0;
};
Sites& sites() {
  static Sites& sites = *new Sites;
  return sites;
}
// Who comes second to a place waits until it is defined.
std::mutex g_defining;

jclass class_by_name(JNIEnv* env, const std::string& name, jobject loader) {
  const Local<jclass> type(env, env->FindClass("java/lang/Class"));
  const jmethodID find =
      !type
          ? nullptr
          : env->GetStaticMethodID(type.get(), "forName",
                                   "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
  const Local<jstring> text(env, find == nullptr ? nullptr : env->NewStringUTF(name.c_str()));
  jobject found = nullptr;
  if (text) found = env->CallStaticObjectMethod(type.get(), find, text.get(), JNI_FALSE, loader);
  if (env->ExceptionCheck() != JNI_FALSE) {
    env->ExceptionClear();
    return nullptr;
  }
  return static_cast<jclass>(found);
}

// The class as the code that called the probe sees it: its loader knows it, since it has just been
// made an object of, and is not asked.
jclass class_of_caller(JNIEnv* env, const std::string& name) {
  jvmtiFrameInfo frame;
  jint count = 0;
  jclass owner = nullptr;
  if (!ok(vm().ti->GetStackTrace(nullptr, kCallersFrame, 1, &frame, &count)) || count != 1 ||
      !ok(vm().ti->GetMethodDeclaringClass(frame.method, &owner)))
    return nullptr;
  const Local<jclass> type(env, owner);
  jobject found = nullptr;
  vm().ti->GetClassLoader(type.get(), &found);
  const Local<jobject> loader(env, found);
  return class_by_name(env, name, found);
}

// Of an object of our own, whose constructor does not run. 0: cannot be told.
std::uint64_t size_of_objects(JNIEnv* env, const std::string& class_name) {
  const Unmet unmet;
  const Local<jclass> type(env, class_of_caller(env, class_name));
  const Local<jobject> object(env, type ? env->AllocObject(type.get()) : nullptr);
  if (env->ExceptionCheck() != JNI_FALSE) env->ExceptionClear();
  jlong size = 0;
  if (!object || !ok(vm().ti->GetObjectSize(object.get(), &size))) return 0;
  return static_cast<std::uint64_t>(size);
}

std::uint64_t known_size(const std::string& key) {
  const std::lock_guard guard(sites().mutex);
  const auto known = sites().sizes.find(key);
  return known == sites().sizes.end() ? 0 : known->second;
}

void mark(std::uint32_t number, std::uint8_t value) {
  g_site_marks[number].store(value, std::memory_order_release);
}

}  // namespace

void forget_sites() {
  const std::lock_guard guard(sites().mutex);
  sites().unused.clear();
  for (std::uint32_t i = 0; i <= sites().last; ++i) mark(i, 0);
  sites().last = 0;
}

void add_object_site(const Site& site, std::uint64_t loader, std::string_view class_name) {
  const auto number = static_cast<std::uint32_t>(site.number);
  ObjectSite added{site, std::string(class_name), std::to_string(loader) + ' '};
  added.key += class_name;
  const std::lock_guard guard(sites().mutex);
  sites().last = std::max(sites().last, number);
  sites().unused.insert_or_assign(number, std::move(added));
}

bool define_array_sites(const Site& site, std::string_view name, std::uint8_t levels) {
  Site level = site;
  for (std::uint8_t i = 0; i < levels; ++i, ++level.number) {
    const std::string type = class_name(name.substr(i));
    level.class_id = Registry::the().class_of(Registry::kAnyLoader, type);
    event::Class details;
    details.name = type;
    Registry::the().define_class(static_cast<std::uint32_t>(level.class_id), details);
    const ArrayLayout layout = array_layout(name.substr(i));
    level.size = layout.base;
    level.element_size = layout.element;
    if (!define_site(level)) return false;
  }
  const auto number = static_cast<std::uint32_t>(site.number);
  const std::lock_guard guard(sites().mutex);
  sites().last = std::max(sites().last, number);
  mark(number, levels);
  return true;
}

void define_object_site(JNIEnv* env, std::uint32_t number) {
  if (!meet_thread(env)) return;
  const std::lock_guard one_at_a_time(g_defining);
  ObjectSite site;
  {
    const std::lock_guard guard(sites().mutex);
    const auto at = sites().unused.find(number);
    if (at == sites().unused.end()) return;
    site = std::move(at->second);
    sites().unused.erase(at);
  }
  site.site.size = known_size(site.key);
  if (site.site.size == 0) site.site.size = size_of_objects(env, site.class_name);
  define_site(site.site);
  const std::lock_guard guard(sites().mutex);
  if (site.site.size != 0) sites().sizes.try_emplace(std::move(site.key), site.site.size);
  mark(number, 1);
}

// What was made at once has one length per level, and nothing below a level of none.
void record_grid(JNIEnv* env, jobject array, std::uint32_t number) {
  if (number > format::native::kMaxArgument) return;
  const LocalFrame frame(env, UINT8_MAX);
  std::uint8_t levels = g_site_marks[number].load(std::memory_order_acquire);
  jobject one = array;
  for (std::uint64_t arrays = 1; arrays != 0 && levels != 0; --levels, ++number) {
    const jsize length = env->GetArrayLength(static_cast<jarray>(one));
    for (std::uint64_t i = 0; i < arrays; ++i)
      agent::alloc_array_at(number, static_cast<std::uint32_t>(length));
    arrays *= static_cast<std::uint64_t>(length);
    if (levels > 1 && length > 0)
      one = env->GetObjectArrayElement(static_cast<jobjectArray>(one), 0);
  }
}

}  // namespace polytrace::agent::jvm
