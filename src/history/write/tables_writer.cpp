// SPDX-License-Identifier: Apache-2.0
#include "history/write/tables_writer.hpp"

#include <algorithm>
#include <array>

#include "history/layout/segment_layout.hpp"
#include "history/layout/value_column.hpp"

namespace polytrace::history {
namespace {

using Slots = std::span<const std::uint32_t>;

// The states of a group of slots.
struct Group {
  std::array<std::uint64_t, kBlock> starts;
  std::array<std::uint64_t, kBlock> values;
  std::array<Tag, kBlock> tags;
  std::size_t count = 0;
  unsigned special = 0;

  void add(const State& state) {
    starts[count] = static_cast<std::uint64_t>(state.start);
    values[count] = state.payload;
    tags[count] = state.tag;
    special = std::max(special, static_cast<unsigned>(presence_of(state.tag)));
    ++count;
  }
};

// The head at `head`, the data at the end. Returns the size of the start column.
std::size_t put_group(base::Appender& to, std::size_t table, std::size_t head, const Group& group,
                      TypeCode code) {
  const std::span values(group.values.data(), group.count);
  const std::span tags(group.tags.data(), group.count);
  const auto start_of = [&](std::size_t i) { return group.starts[i]; };
  const Column starts = Column::of(group.count, true, start_of);
  const ValueColumn column = ValueColumn::of(values, tags, code, group.special);
  base::patch(to, head, starts.least);
  base::patch(to, head + 8, column.least);
  base::patch(to, head + 16, static_cast<std::uint32_t>(to.size() - table));
  base::patch(to, head + 20, static_cast<std::uint8_t>(starts.width));
  base::patch(to, head + 21, static_cast<std::uint8_t>(column.width));
  base::patch(to, head + 22, static_cast<std::uint8_t>(column.special));
  base::patch(to, head + 23, static_cast<std::uint8_t>(column.form));
  base::pack(to, group.count, starts.width,
             [&](std::size_t i) { return start_of(i) - starts.least; });
  column.put(to, values, tags);
  return kExitHead + base::packed_bytes(group.count, starts.width);
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
    base::patch(to, head, std::uint32_t{code_of_class(number)});
    base::patch(to, head + 4, static_cast<std::uint32_t>(slots.size()));
    base::patch(to, head + 8, static_cast<std::uint32_t>(to.size() - table));
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
      base::patch(to, head, times.least);
      base::patch(to, head + 8, static_cast<std::uint32_t>(to.size() - table));
      base::patch(to, head + 12, std::uint32_t{times.width});
      base::pack(to, group.size(), times.width,
                 [&](std::size_t i) { return get(i) - times.least; });
    }
  });
}

}  // namespace polytrace::history
