// SPDX-License-Identifier: Apache-2.0
#include "history/tables_writer.hpp"

#include <algorithm>
#include <array>

#include "history/bits.hpp"
#include "history/run_writer.hpp"
#include "history/segment_layout.hpp"

namespace polytrace::history {
namespace {

using Slots = std::span<const std::uint32_t>;

// The states of a group of slots.
struct Group {
  std::array<State, kBlock> states;
  std::size_t count = 0;
  std::size_t absent = 0;
  std::size_t values = 0;

  void add(const State& state) {
    states[count++] = state;
    absent += presence_of(state.tag) == Presence::absent ? 1U : 0U;
    values += presence_of(state.tag) == Presence::value ? 1U : 0U;
  }
  std::uint8_t presence() const {
    if (absent != 0) return 3;
    if (values == count) return 0;
    return values == 0 ? 1 : 2;
  }
  bool has_value(std::size_t i) const { return presence_of(states[i].tag) == Presence::value; }
};

void put_bitmap(base::Appender& to, const Group& group, Presence wanted) {
  std::byte* const bitmap = to.extend(kBitmapBytes);
  std::memset(bitmap, 0, kBitmapBytes);
  for (std::size_t i = 0; i < group.count; ++i) {
    if (presence_of(group.states[i].tag) == wanted) set_bit(bitmap, i);
  }
}

Column value_column(const Group& group, TypeCode code) {
  if (code == kAnyCode) return {.least = 0, .width = kMostBits};
  std::array<std::uint64_t, kBlock> values;
  std::size_t count = 0;
  for (std::size_t i = 0; i < group.count; ++i) {
    values[count] = group.states[i].payload;
    count += group.has_value(i) ? 1U : 0U;
  }
  return Column::of(count, is_signed_class(code), [&](std::size_t i) { return values[i]; });
}

// The head at `head`, the data at the end. Returns the size of the start column.
std::size_t put_group(base::Appender& to, std::size_t table, std::size_t head, const Group& group,
                      TypeCode code) {
  const auto start_of = [&](std::size_t i) {
    return static_cast<std::uint64_t>(group.states[i].start);
  };
  const Column starts = Column::of(group.count, true, start_of);
  const Column values = value_column(group, code);
  patch(to, head, starts.least);
  patch(to, head + 8, values.least);
  patch(to, head + 16, static_cast<std::uint32_t>(to.size() - table));
  patch(to, head + 20, static_cast<std::uint8_t>(starts.width));
  patch(to, head + 21, static_cast<std::uint8_t>(values.width));
  patch(to, head + 22, std::uint16_t{group.presence()});
  if (group.presence() == 3) put_bitmap(to, group, Presence::absent);
  if (group.presence() >= 2) put_bitmap(to, group, Presence::null);
  pack(to, group.count, starts.width, [&](std::size_t i) { return start_of(i) - starts.least; });
  if (code == kAnyCode) {
    for (std::size_t i = 0; i < group.count; ++i) to.byte(type_of(group.states[i].tag));
  }
  pack(to, group.count, values.width, [&](std::size_t i) {
    return group.has_value(i) ? group.states[i].payload - values.least : 0;
  });
  return kExitHead + packed_bytes(group.count, starts.width);
}

// Class heads, then per class whatever `put_class(slots, code, table)` appends.
template <class PutClass>
void put_table(base::Appender& to, const KeyList& keys, PutClass put_class) {
  std::uint32_t classes = 0;
  for (std::size_t number = 0; number < kClasses; ++number)
    classes += keys.slots(number).empty() ? 0U : 1U;
  const std::size_t table = to.size();
  to.fixed(classes);
  std::size_t head = to.size();
  to.extend(classes * kClassHead);
  for (std::size_t number = 0; number < kClasses; ++number) {
    const Slots slots = keys.slots(number);
    if (slots.empty()) continue;
    patch(to, head, std::uint32_t{code_of_class(number)});
    patch(to, head + 4, static_cast<std::uint32_t>(slots.size()));
    patch(to, head + 8, static_cast<std::uint32_t>(to.size() - table));
    head += kClassHead;
    put_class(slots, code_of_class(number), table);
  }
}

// A timeline that has a type by now keeps a place, without meaning, among those without.
State in_class(State state, TypeCode code) {
  if (code == kOpenCode && presence_of(state.tag) == Presence::value) state.tag = kNullTag;
  return state;
}

std::size_t group_count(Slots slots) { return (slots.size() + kBlock - 1) / kBlock; }

Slots group_slots(Slots slots, std::size_t number) {
  return slots.subspan(number * kBlock, std::min(kBlock, slots.size() - number * kBlock));
}

}  // namespace

std::size_t put_entry_table(base::Appender& to, const KeyList& keys,
                            std::span<const State> states) {
  std::size_t time_bytes = 0;
  put_table(to, keys, [&](Slots slots, TypeCode code, std::size_t table) {
    const std::size_t heads = to.size();
    to.extend(group_count(slots) * kEntryHead);
    for (std::size_t number = 0; number < group_count(slots); ++number) {
      Group group;
      for (const std::uint32_t index : group_slots(slots, number))
        group.add(in_class(states[index], code));
      time_bytes += put_group(to, table, heads + number * kEntryHead, group, code);
    }
  });
  return time_bytes;
}

void put_exit_table(base::Appender& to, const KeyList& keys, std::span<const Tick> next) {
  put_table(to, keys, [&](Slots slots, TypeCode, std::size_t table) {
    const std::size_t heads = to.size();
    to.extend(group_count(slots) * kExitHead);
    for (std::size_t number = 0; number < group_count(slots); ++number) {
      const Slots group = group_slots(slots, number);
      const auto get = [&](std::size_t i) { return static_cast<std::uint64_t>(next[group[i]]); };
      const Column times = Column::of(group.size(), true, get);
      const std::size_t head = heads + number * kExitHead;
      patch(to, head, times.least);
      patch(to, head + 8, static_cast<std::uint32_t>(to.size() - table));
      patch(to, head + 12, std::uint32_t{times.width});
      pack(to, group.size(), times.width, [&](std::size_t i) { return get(i) - times.least; });
    }
  });
}

}  // namespace polytrace::history
