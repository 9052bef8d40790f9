// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/facts/vm.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>

namespace polytrace::agent::jvm {

namespace {

std::mutex g_tags;
std::array<std::uint64_t, 4> g_last_numbers;

}  // namespace

Vm& vm() {
  static constinit Vm vm;
  return vm;
}

void set_event(jvmtiEvent event, bool on) {
  vm().ti->SetEventNotificationMode(on ? JVMTI_ENABLE : JVMTI_DISABLE, event, nullptr);
}

bool set_extension_event(std::string_view name, jvmtiExtensionEvent callback) {
  jint count = 0;
  TiMemory<jvmtiExtensionEventInfo> events;
  if (!ok(vm().ti->GetExtensionEvents(&count, events.out()))) return false;
  bool found = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const jvmtiExtensionEventInfo& event = events[i];
    if (name == event.id) {
      found = ok(vm().ti->SetExtensionEventCallback(event.extension_event_index, callback));
      // Some need this as well; others refuse it, and need it not.
      set_event(static_cast<jvmtiEvent>(event.extension_event_index), true);
    }
    const auto release = [](void* memory) {
      vm().ti->Deallocate(static_cast<unsigned char*>(memory));
    };
    for (jint j = 0; j < event.param_count; ++j) release(event.params[j].name);
    release(event.id);
    release(event.short_description);
    release(event.params);
  }
  return found;
}

void say(std::string_view sentence) {
  std::fprintf(stderr, "polytrace: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
}

jlong tag_of(jobject object) {
  jlong tag = 0;
  return ok(vm().ti->GetTag(object, &tag)) ? tag : 0;
}

std::uint64_t next_number(TagKind kind) {
  const std::lock_guard guard(g_tags);
  return g_last_numbers[static_cast<std::size_t>(kind)] + 1;
}

jlong tag_new(jobject object, std::uint64_t collections) {
  std::uint64_t number = 0;
  {
    const std::lock_guard guard(g_tags);
    number = ++g_last_numbers[static_cast<std::size_t>(TagKind::object)];
  }
  const jlong tag = make_tag(TagKind::object, number | (collections & kMostBirth) << kBirthShift);
  return ok(vm().ti->SetTag(object, tag)) ? tag : 0;
}

// Two threads may meet the same object at once: the number must be one. The VM never waits for who
// holds this lock.
jlong tagged(jobject object, TagKind kind, bool& is_new) {
  is_new = false;
  const auto serves = [kind](jlong tag) {
    return tag != 0 && (kind == TagKind::object || kind_of(tag) == kind);
  };
  if (const jlong known = tag_of(object); serves(known)) return known;
  const std::lock_guard guard(g_tags);
  if (const jlong known = tag_of(object); serves(known)) return known;
  const jlong tag = make_tag(kind, ++g_last_numbers[static_cast<std::size_t>(kind)]);
  is_new = ok(vm().ti->SetTag(object, tag));
  return is_new ? tag : 0;
}

}  // namespace polytrace::agent::jvm
