// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/callbacks.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "agent/common/recorder.hpp"
#include "agent/jvm/classes.hpp"
#include "agent/jvm/stacks.hpp"
#include "agent/jvm/threads.hpp"

namespace polytrace::agent::jvm {

namespace {

constexpr base::Duration kMillisecond = 1'000'000;

std::size_t g_depth = 64;
bool g_tags_allocations = false;
constinit std::atomic<std::uint64_t> g_collections{0};

// What a wait was given, until it ends: that event does not tell. By the thread's number, since a
// virtual thread may go on elsewhere.
struct Timeouts {
  std::mutex mutex;
  std::unordered_map<base::Id, jlong> by_thread;
};
Timeouts& timeouts() {
  static Timeouts& timeouts = *new Timeouts;
  return timeouts;
}

// Threads are often waited for by their objects, also before they were met: they are threads first.
base::Id number_of_object(JNIEnv* env, jobject object) {
  if (tag_of(object) == 0 && is_thread(env, object)) number_of_thread(env, object);
  bool is_new = false;
  const jlong tag = tagged(object, TagKind::kObject, is_new);
  return tag == 0 ? base::kNoId : static_cast<base::Id>(tag);
}

// Whether anything would be recorded: callbacks cost even while recording is paused.
bool is_idle() { return !Recorder::the().running(); }

}  // namespace

void set_limits(const Settings& settings) {
  g_depth = settings.common.stack_depth;
  g_tags_allocations = settings.common.events.alloc == AllocMode::kObjects;
}

// --- memory ---

void JNICALL on_sampled_allocation(jvmtiEnv*, JNIEnv* env, jthread, jobject object, jclass type,
                                   jlong size) {
  if (is_idle()) return;
  meet_thread(env);
  StackFrames frames;
  frames.take(env, nullptr, g_depth);
  const Lists lists = frames.lists();
  event::Alloc details;
  details.size = static_cast<event::u64>(size);
  details.stack = whole_stack(lists);
  if (g_tags_allocations) details.object = number_of_object(env, object);
  TiText signature;
  if (ok(vm().ti->GetClassSignature(type, signature.out(), nullptr)))
    details.array = signature.view().starts_with('[') ? 1 : 0;
  emit(details, number_of_class(env, type), lists);
}

void JNICALL on_object_free(jvmtiEnv*, jlong tag) {
  if (is_idle() || kind_of(tag) != TagKind::kObject) return;
  emit(event::Free{}, static_cast<base::Id>(tag), {}, Patience::kNever);
}

// The world stands still: nothing of the VM may be called, and nobody waited for.
void JNICALL on_collection_start(jvmtiEnv*) {
  event::Gc details;
  details.phase = event::GcPhase::start;
  emit(details, g_collections.fetch_add(1, std::memory_order_relaxed) + 1, {}, Patience::kNever);
}

void JNICALL on_collection_finish(jvmtiEnv*) {
  event::Gc details;
  details.phase = event::GcPhase::end;
  emit(details, g_collections.load(std::memory_order_relaxed), {}, Patience::kNever);
}

// --- monitors ---

namespace {

void emit_monitor(JNIEnv* env, jobject object, event::MonitorStage stage, bool with_stack) {
  if (is_idle()) return;
  meet_thread(env);
  StackFrames frames;
  event::Monitor details;
  details.stage = stage;
  details.class_id = number_of_class_of(env, object);
  if (with_stack) frames.take(env, nullptr, g_depth);
  const Lists lists = with_stack ? frames.lists() : Lists{};
  if (with_stack) details.stack = whole_stack(lists);
  emit(details, number_of_object(env, object), lists, Patience::kNever);
}

}  // namespace

// The stack is taken before the wait: taken after it, it would lengthen the time the lock is held.
void JNICALL on_contended_enter(jvmtiEnv*, JNIEnv* env, jthread, jobject object) {
  emit_monitor(env, object, event::MonitorStage::contended, true);
}

void JNICALL on_contended_entered(jvmtiEnv*, JNIEnv* env, jthread, jobject object) {
  emit_monitor(env, object, event::MonitorStage::acquired, false);
}

void JNICALL on_wait(jvmtiEnv*, JNIEnv* env, jthread, jobject object, jlong timeout) {
  if (is_idle()) return;
  meet_thread(env);
  if (timeout != 0) {
    const std::lock_guard guard(timeouts().mutex);
    timeouts().by_thread[this_thread()] = timeout;
  }
  StackFrames frames;
  frames.take(env, nullptr, g_depth);
  const Lists lists = frames.lists();
  event::Wait details;
  details.timeout = timeout * kMillisecond;
  details.stack = whole_stack(lists);
  emit(details, number_of_object(env, object), lists, Patience::kNever);
}

void JNICALL on_waited(jvmtiEnv*, JNIEnv* env, jthread, jobject object, jboolean) {
  if (is_idle()) return;
  meet_thread(env);
  event::Wait details;
  details.stage = event::WaitStage::end;
  {
    const std::lock_guard guard(timeouts().mutex);
    const auto at = timeouts().by_thread.find(this_thread());
    if (at != timeouts().by_thread.end()) {
      details.timeout = at->second * kMillisecond;
      timeouts().by_thread.erase(at);
    }
  }
  emit(details, number_of_object(env, object), {}, Patience::kNever);
}

// --- exceptions ---

void JNICALL on_exception(jvmtiEnv*, JNIEnv* env, jthread, jmethodID, jlocation, jobject exception,
                          jmethodID, jlocation) {
  if (is_idle()) return;
  meet_thread(env);
  StackFrames frames;
  frames.take(env, nullptr, g_depth);
  const Lists lists = frames.lists();
  event::Throw details;
  details.class_id = number_of_class_of(env, exception);
  details.stack = whole_stack(lists);
  emit(details, number_of_object(env, exception), lists);
}

}  // namespace polytrace::agent::jvm
