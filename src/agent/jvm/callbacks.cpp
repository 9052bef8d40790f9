// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/callbacks.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "agent/common/memory/clock.hpp"
#include "agent/common/record/recorder.hpp"
#include "agent/common/tools/alloc_sampler.hpp"
#include "agent/jvm/code/stacks.hpp"
#include "agent/jvm/facts/classes.hpp"
#include "agent/jvm/facts/threads.hpp"

namespace polytrace::agent::jvm {

namespace {

constexpr base::Duration kMillisecond = 1'000'000;

std::size_t g_depth = kMostFrames;
bool g_tags_allocations = false;
bool g_tells_collections = true;
std::uint64_t g_sample_interval = 0;  // bytes; 0: every object is told
constinit std::atomic<std::uint64_t> g_collections{0};
constinit std::atomic<int> g_begun{0};  // told to have begun, and not yet to have ended

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

// Whether anything would be recorded: callbacks cost even while recording is paused.
bool is_idle() { return !Recorder::the().running(); }

}  // namespace

void set_limits(const Settings& settings) {
  g_depth = settings.common.stack_depth;
  const EventSet& events = settings.common.events;
  g_tags_allocations = events.alloc == AllocMode::objects;
  g_tells_collections = events.gc;
  g_sample_interval = g_tags_allocations ? 0 : events.alloc_interval;
}

std::size_t stack_depth() { return g_depth; }

// Threads are often waited for by their objects, also before they were met: they are threads first.
base::Id number_of_object(JNIEnv* env, jobject object) {
  if (tag_of(object) == 0 && is_thread(env, object)) number_of_thread(env, object);
  bool is_new = false;
  const jlong tag = tagged(object, TagKind::object, is_new);
  return tag == 0 ? base::kNoId : id_of(tag);
}

// --- memory ---

void on_sampled_allocation(jvmtiEnv*, JNIEnv* env, jthread, jobject object, jclass type,
                           jlong size) {
  if (is_idle() || !meet_thread(env)) return;
  StackFrames frames;
  frames.take(env, nullptr, g_depth);
  const Lists lists = frames.lists();
  event::Alloc details;
  details.size = static_cast<event::u64>(size);
  details.stack = whole_stack(lists);
  if (g_sample_interval > 1)
    details.weight = sample_weight(static_cast<std::uint64_t>(size), g_sample_interval);
  // Its constructor has not run: a thread is not one yet.
  if (g_tags_allocations)
    if (const jlong tag = tag_new(object, g_collections.load(std::memory_order_relaxed)); tag != 0)
      details.object = id_of(tag);
  jboolean is_array = JNI_FALSE;
  vm().ti->IsArrayClass(type, &is_array);
  details.array = is_array;
  emit(details, number_of_class(env, type), lists);
}

// Comes some time behind the collection that found it.
void on_object_free(jvmtiEnv*, jlong tag) {
  if (is_idle() || kind_of(tag) != TagKind::object) return;
  const std::uint64_t begun = g_collections.load(std::memory_order_relaxed) - birth_of(tag);
  event::Free details;
  details.age = (begun & kMostBirth) == 0 ? 0 : (begun & kMostBirth) - 1;
  emit(details, id_of(tag), {}, Patience::never);
}

// The world stands still: nothing of the VM may be called, and nobody waited for. Where room for
// classes runs out, VMs tell the stop and, within it, what they collect: that is one collection.
void on_collection_start(jvmtiEnv*) {
  if (g_begun.fetch_add(1, std::memory_order_relaxed) != 0) return;
  const std::uint64_t number = g_collections.fetch_add(1, std::memory_order_relaxed) + 1;
  event::Gc details;
  details.phase = event::GcPhase::start;
  if (g_tells_collections) emit(details, number, {}, Patience::never);
}

void on_collection_finish(jvmtiEnv*) {
  if (g_begun.fetch_sub(1, std::memory_order_relaxed) != 1) return;
  event::Gc details;
  details.phase = event::GcPhase::end;
  if (g_tells_collections)
    emit(details, g_collections.load(std::memory_order_relaxed), {}, Patience::never);
}

// --- monitors ---
// Where the policy is to wait for memory, they wait as probes do: half a pair would mislead.

namespace {

// The VM stops to tell it: only so often in a second. kNoId: not asked, none, or a virtual thread.
base::Id owner_of(JNIEnv* env, jobject object) {
  constexpr base::Duration kPause = 10 * kMillisecond;
  static constinit std::atomic<base::Time> last{0};
  if (!vm().can_tell_owners) return base::kNoId;
  const base::Time now = monotonic_now();
  base::Time before = last.load(std::memory_order_relaxed);
  if (now - before < kPause || !last.compare_exchange_strong(before, now)) return base::kNoId;
  constexpr jint kFew = 16;  // at least; of who waits
  const LocalFrame frame(env, kFew);
  jvmtiMonitorUsage usage{};
  if (!ok(vm().ti->GetObjectMonitorUsage(object, &usage))) return base::kNoId;
  TiMemory<jthread> waiters;
  TiMemory<jthread> notified;
  *waiters.out() = usage.waiters;
  *notified.out() = usage.notify_waiters;
  const std::uint64_t owner = usage.owner == nullptr ? 0 : number_of_thread(env, usage.owner);
  return owner == 0 ? base::kNoId : owner;
}

void emit_monitor(JNIEnv* env, jobject object, event::MonitorStage stage, bool with_stack) {
  if (is_idle() || !meet_thread(env)) return;
  StackFrames frames;
  event::Monitor details;
  details.stage = stage;
  details.class_id = number_of_class_of(env, object);
  if (with_stack) frames.take(env, nullptr, g_depth);
  if (with_stack) details.owner = owner_of(env, object);
  const Lists lists = with_stack ? frames.lists() : Lists{};
  if (with_stack) details.stack = whole_stack(lists);
  emit(details, number_of_object(env, object), lists);
}

}  // namespace

// The stack is taken before the wait: taken after it, it would lengthen the time the lock is held.
void on_contended_enter(jvmtiEnv*, JNIEnv* env, jthread, jobject object) {
  emit_monitor(env, object, event::MonitorStage::contended, true);
}

void on_contended_entered(jvmtiEnv*, JNIEnv* env, jthread, jobject object) {
  emit_monitor(env, object, event::MonitorStage::acquired, false);
}

void on_wait(jvmtiEnv*, JNIEnv* env, jthread, jobject object, jlong timeout) {
  if (is_idle() || !meet_thread(env)) return;
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
  emit(details, number_of_object(env, object), lists);
}

void on_waited(jvmtiEnv*, JNIEnv* env, jthread, jobject object, jboolean) {
  if (is_idle() || !meet_thread(env)) return;
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
  emit(details, number_of_object(env, object));
}

}  // namespace polytrace::agent::jvm
