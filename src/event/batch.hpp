// SPDX-License-Identifier: Apache-2.0
// A run of events: what crosses the doors between rooms. The hot part (Spine) is a flat array; what
// else an event says stands in one column per kind, strings and lists in the batch's own storage.
// All views and ranges live until clear(); who keeps one copies it. One thread at a time; sharing
// a const batch between threads is fine.
#pragma once

#include <memory>
#include <vector>

#include "base/notices.hpp"
#include "event/arena.hpp"
#include "event/spine.hpp"
#include "event/tally.hpp"

namespace polytrace::event {

template <class T>
struct Column {
  std::vector<T> items;
};

// One column per kind, by inheritance so that column<T>() costs nothing.
#define KIND(Type, ...) Column<Type>,
struct Columns :
#include "event/kinds.def"
    Column<FramePlace>,
    Column<Ref>,
    Column<IlRange> {
};
#undef KIND

// Makes room in twice the memory.
template <class T>
[[gnu::noinline]] void grow(std::vector<T>& items) {
  items.reserve(items.empty() ? 16 : items.size() * 2);
}

// Appends an item whose fields may be in registers: push_back() gives its address to a call where
// there is no room, so that they are stored, loaded as a whole, which waits for the stores, and
// stored again.
template <class T>
[[gnu::always_inline]] inline void append(std::vector<T>& items, const T& item) {
  if (items.size() == items.capacity()) [[unlikely]]
    grow(items);
  if (items.size() == items.capacity()) __builtin_unreachable();
  items.push_back(item);
}

class Batch {
 public:
  Spine events;
  std::vector<Id> threads;   // by Event::thread
  std::vector<Id> frames;    // by Stack::first and Natives::first
  std::uint64_t offset = 0;  // of the first byte it was decoded from
  Tally tally;
  // What decode() leaves for settle(), of a type that the reader knows; null when nothing.
  std::shared_ptr<const void> context{};
  base::Notices notices{[this] { return std::uint64_t{events.size()}; }};

  // Batches have some sixty columns: what makes, moves and destroys them is compiled once.
  Batch();
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch&& other) noexcept;
  ~Batch();

  static constexpr std::size_t kMaxThreads = 65536;
  // The index of a thread. REQUIRES: fewer than kMaxThreads different ones in one batch.
  std::uint16_t thread_slot(Id thread);
  Id thread(const Event& event) const { return threads[event.thread]; }

  template <class T>
  std::vector<T>& column() {
    return static_cast<Column<T>&>(columns_).items;
  }
  template <class T>
  const std::vector<T>& column() const {
    return static_cast<const Column<T>&>(columns_).items;
  }

  // The details of an event that has some. REQUIRES: its kind is T's and detail != kAbsent.
  template <class T>
  const T& details(const Event& event) const {
    return column<T>()[event.detail];
  }
  template <class T>
  const T& details_or(const Event& event, const T& none) const {
    return event.detail == kAbsent ? none : details<T>(event);
  }

  template <class T>
  void add(Time time, std::uint16_t thread, Id id, const T& details) {
    auto& items = column<T>();
    append(items, details);
    events.push({time, id, static_cast<u32>(items.size() - 1), thread, KindOf<T>::value, 0});
  }
  // An event whose fields are all not told.
  void add_plain(Time time, std::uint16_t thread, Id id, Kind kind) {
    events.push({time, id, kAbsent, thread, kind, 0});
  }

  Text keep(Text text) { return arena_.keep(text); }

  std::span<const Id> list(const Stack& stack) const { return ids(stack); }
  std::span<const Id> list(const Natives& natives) const { return ids(natives); }
  std::span<const Ref> list(const Refs& refs) const { return range<Ref>(refs); }
  std::span<const IlRange> list(const IlMap& map) const { return range<IlRange>(map); }
  // The frames' places, empty when the stack has none.
  std::span<const FramePlace> places(const Stack& stack) const {
    if (stack.places == kAbsent) return {};
    return std::span(column<FramePlace>()).subspan(stack.places, stack.count);
  }

  // Empties the batch, keeping its memory.
  void clear();

 private:
  std::span<const Id> ids(const Range& range) const {
    if (!range.present()) return {};
    return std::span(frames).subspan(range.first, range.count);
  }
  template <class T>
  std::span<const T> range(const Range& range) const {
    if (!range.present()) return {};
    return std::span(column<T>()).subspan(range.first, range.count);
  }

  Columns columns_;
  Arena arena_;
};

}  // namespace polytrace::event
