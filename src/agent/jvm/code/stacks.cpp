// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/code/stacks.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "agent/common/runtime/introduction.hpp"
#include "agent/jvm/code/probe.hpp"
#include "agent/jvm/facts/classes.hpp"
#include "agent/jvm/facts/registry.hpp"

namespace polytrace::agent::jvm {

struct LineStart {
  jlocation at;
  jint line;
};

struct MethodInfo {
  base::Id number = 0;
  bool is_border = false;        // the VM calls it, and sees what it throws
  std::vector<LineStart> lines;  // in order of `at`

  std::int64_t line_at(jlocation at) const {
    const auto behind = std::ranges::upper_bound(lines, at, {}, &LineStart::at);
    return at < 0 || behind == lines.begin() ? -1 : behind[-1].line;
  }
};

namespace {

constexpr base::Id kUnasked = base::kNoId;
constexpr base::Id kOfProbe = kUnasked - 1;

// What leaves a native frame passes through native code; what leaves the initialisation of a class
// becomes another error.
bool is_border(std::string_view name, jint access) {
  constexpr jint kNative = 0x0100;
  return (access & kNative) != 0 || name == "<clinit>";
}

// The VM may give a method's id again once its class is gone: then all is forgotten.
struct Known {
  std::shared_mutex mutex;
  std::unordered_map<jmethodID, std::shared_ptr<const MethodInfo>> methods;
  std::uint64_t epoch = 0;
};
Known& known() {
  static Known& known = *new Known;
  return known;
}
constinit std::atomic<std::uint64_t> g_epoch{0};

std::vector<LineStart> lines_of(jmethodID method) {
  jint count = 0;
  TiMemory<jvmtiLineNumberEntry> table;
  std::vector<LineStart> lines;
  if (!ok(vm().ti->GetLineNumberTable(method, &count, table.out()))) return lines;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    lines.push_back({table[i].start_location, table[i].line_number});
  std::ranges::stable_sort(lines, {}, &LineStart::at);
  return lines;
}

std::shared_ptr<const MethodInfo> ask(JNIEnv* env, jmethodID method) {
  auto info = std::make_shared<MethodInfo>();
  jclass owner = nullptr;
  TiText name;
  TiText descriptor;
  if (!ok(vm().ti->GetMethodDeclaringClass(method, &owner))) return info;
  const Local<jclass> type(env, owner);
  if (!ok(vm().ti->GetMethodName(method, name.out(), descriptor.out(), nullptr))) return info;
  jint access = 0;
  vm().ti->GetMethodModifiers(method, &access);
  info->is_border = is_border(name.view(), access);
  if (is_probe(env, type.get())) {
    info->number = kOfProbe;
    return info;
  }
  info->lines = lines_of(method);
  event::Method details;
  details.name = name.view();
  details.class_id = number_of_class(env, type.get());
  details.signature = descriptor.view();
  details.flags = static_cast<event::u32>(access);
  if (!info->lines.empty()) {
    const auto [first, last] = std::ranges::minmax(info->lines, {}, &LineStart::line);
    details.first_line = static_cast<event::u32>(first.line);
    details.last_line = static_cast<event::u32>(last.line);
  }
  info->number = Registry::the().method_of(details);
  return info;
}

std::shared_ptr<const MethodInfo> ask_and_keep(JNIEnv* env, jmethodID method) {
  const std::uint64_t epoch = g_epoch.load(std::memory_order_acquire);
  std::shared_ptr<const MethodInfo> info = ask(env, method);
  Known& all = known();
  const std::lock_guard guard(all.mutex);
  if (all.epoch != epoch && epoch == g_epoch.load(std::memory_order_acquire)) {
    all.methods.clear();
    all.epoch = epoch;
  }
  if (all.epoch == epoch) all.methods[method] = info;
  return info;
}

void on_unload(jvmtiEnv*, ...) { forget_methods(); }

// Null: not known yet. REQUIRES: Known::mutex is held.
const MethodInfo* find_known(jmethodID method) {
  const Known& all = known();
  if (all.epoch != methods_epoch()) return nullptr;
  const auto at = all.methods.find(method);
  return at == all.methods.end() ? nullptr : at->second.get();
}

}  // namespace

std::uint64_t methods_epoch() { return g_epoch.load(std::memory_order_acquire); }

base::Id number_of_method(JNIEnv* env, jmethodID method) {
  {
    const std::shared_lock guard(known().mutex);
    if (const MethodInfo* const info = find_known(method); info != nullptr) return info->number;
  }
  return ask_and_keep(env, method)->number;
}

void forget_methods() { g_epoch.fetch_add(1, std::memory_order_release); }

void watch_unloading() { set_extension_event("com.sun.hotspot.events.ClassUnload", on_unload); }

// Of the most frames, and one more, which tells that there are others.
struct StackFrames::Room {
  static constexpr std::size_t kFrames = kMostFrames + 1;
  jvmtiFrameInfo found[kFrames];
  base::Id frames[kFrames];
  event::FramePlace places[kFrames];
  bool borders[kFrames];
};

// 50 KB are too much for the stack of a program's thread, which may be at its end. Rooms are kept
// for the next stack: as many as threads needed at once, up to a number.
class StackFrames::SpareRooms {
 public:
  Room* take() {
    for (auto& spare : spares_)
      if (Room* const room = spare.exchange(nullptr, std::memory_order_acquire)) return room;
    return new (std::nothrow) Room;
  }
  void give(Room* room) {
    for (auto& spare : spares_) {
      Room* none = nullptr;
      if (spare.compare_exchange_strong(none, room, std::memory_order_release)) return;
    }
    delete room;
  }
  static SpareRooms& all() {
    static constinit SpareRooms rooms;
    return rooms;
  }

 private:
  std::atomic<Room*> spares_[16]{};
};

StackFrames::~StackFrames() {
  if (room_ != nullptr) SpareRooms::all().give(room_);
}

Lists StackFrames::lists() const {
  Lists lists;
  if (room_ == nullptr) return lists;
  lists.frames = {room_->frames, count_};
  lists.frame_places = {room_->places, count_};
  return lists;
}

void StackFrames::put(std::size_t at, const MethodInfo& info) {
  const jlocation place = room_->found[at].location;
  room_->frames[at] = info.number;
  room_->borders[at] = info.is_border;
  room_->places[at] = {place, info.line_at(place), 0};
}

void StackFrames::put_truncated() {
  room_->frames[0] = truncated_frame();
  room_->borders[0] = false;
  room_->places[0] = {};
}

// Outermost first, as events have it; the VM tells the innermost first. One lock for all frames
// that were met before.
void StackFrames::take(JNIEnv* env, jthread thread, std::size_t most) {
  count_ = 0;
  if (most == 0) return;
  most = std::min<std::size_t>(most, kMostFrames);
  if (room_ == nullptr) room_ = SpareRooms::all().take();
  jint count = 0;
  if (room_ == nullptr ||
      !ok(vm().ti->GetStackTrace(thread, 0, static_cast<jint>(most + 1), room_->found, &count)))
    return;
  count_ = static_cast<std::size_t>(count);
  std::reverse(room_->found, room_->found + count_);
  const std::size_t first = count_ > most ? 1 : 0;  // behind what stands for the others
  if (first != 0) put_truncated();
  base::Id* const frames = room_->frames;
  {
    const std::shared_lock guard(known().mutex);
    for (std::size_t i = first; i < count_; ++i) {
      const MethodInfo* const info = find_known(room_->found[i].method);
      if (info != nullptr) put(i, *info);
      else frames[i] = kUnasked;
    }
  }
  for (std::size_t i = first; i < count_; ++i)
    if (frames[i] == kUnasked) put(i, *ask_and_keep(env, room_->found[i].method));
  leave_out_probe();
}

// The probe's are the innermost, if any. What happens in them happens to the method that calls.
void StackFrames::leave_out_probe() {
  while (count_ > 0 && room_->frames[count_ - 1] == kOfProbe) --count_;
}

bool StackFrames::has_border_before(base::Id method) const {
  for (std::size_t i = count_; i > 0 && room_->frames[i - 1] != method; --i)
    if (i < count_ && room_->borders[i - 1]) return true;
  return false;
}

}  // namespace polytrace::agent::jvm
