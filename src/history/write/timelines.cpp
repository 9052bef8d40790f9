// SPDX-License-Identifier: Apache-2.0
#include "history/write/timelines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/bits.hpp"

namespace polytrace::history {

using base::Code;

std::uint32_t Timelines::add(Key key) {
  const std::uint32_t index = keys_.add(key);
  lines_.push_back({.last = start_, .link = Change::link_of(Change::kNone, kNullTag)});
  entries_.push_back({.start = start_});
  return index;
}

base::Unexpected Timelines::refuse(Code code, Tick t, std::uint32_t index) const {
  return base::fail(code, fmt::format("key {} at {}", keys_[index].key, t));
}

base::Unexpected Timelines::too_many(Tick t) const {
  return base::fail(Code::limit_exceeded,
                    fmt::format("{} changes that no segment can part, at {}", Change::kMost, t));
}

base::result<void> Timelines::declare(std::uint32_t index, TypeCode code, bool strict) {
  if (keys_[index].code == code || code == kOpenCode) return {};
  if (keys_[index].code == kAnyCode) return refuse(Code::type_conflict, last_, index);
  return fix(index, code, strict || code == kAnyCode);
}

base::result<void> Timelines::fix(std::uint32_t index, TypeCode code, bool strict) {
  KeyInfo& info = keys_[index];
  if (info.code != kOpenCode)
    return base::fail(Code::type_conflict, fmt::format("key {} is {}, not {}", info.key,
                                                       name(static_cast<Type>(info.code)),
                                                       name(static_cast<Type>(code))));
  info.code = strict ? code : kAnyCode;
  lines_[index].code = info.code;
  if (info.code == code_of(Type::none) && is_untouched(index)) begin_absent(index);
  return {};
}

bool Timelines::is_untouched(std::uint32_t index) const {
  const Line& line = lines_[index];
  return line.latest() == Change::kNone && line.tag() == kNullTag &&
         entries_[index].start == start_ && !line.ends;
}

void Timelines::begin_absent(std::uint32_t index) {
  keys_[index].absent_first = true;
  keys_[index].listed = false;
  entries_[index].tag = kAbsentTag;
  lines_[index].link = Change::link_of(Change::kNone, kAbsentTag);
  has_gaps_ = true;
}

base::result<void> Timelines::put_late(Tick t, std::uint32_t index, std::uint64_t payload, Tag tag,
                                       bool kept) {
  Line& line = lines_[index];
  if (t < start_) return refuse(Code::time_outside, t, index);
  if (t < first_) return refuse(Code::time_backwards, t, index);
  if (line.ends) {
    if (t <= line.last) return refuse(Code::intervals_overlap, t, index);
    const Tick gap = base::tick_after(line.last, 1);
    // A gap that begins before this segment was settled with that one.
    if (auto put = append(std::max(gap, first_), index, 0, kAbsentTag); !put) return put;
    line.ends = false;
    has_gaps_ = true;
    return this->put(t, index, payload, tag, kept);
  }
  if (t < line.last) return refuse(Code::time_backwards, t, index);
  return replace(t, index, payload, tag, kept);
}

// Another state at the tick of the current one: the last wins.
base::result<void> Timelines::replace(Tick t, std::uint32_t index, std::uint64_t payload, Tag tag,
                                      bool kept) {
  Line& line = lines_[index];
  if (line.latest() == Change::kNone) {
    if (entries_[index].start != t) return refuse(Code::time_backwards, t, index);
    entries_[index] = {t, payload, tag};
    keys_[index].absent_first = presence_of(tag) == Presence::absent;
    line.payload = payload;
    line.link = Change::link_of(Change::kNone, tag);
    return {};
  }
  Change& change = changes_[line.latest()];
  const std::uint32_t before = change.before();
  const State held = before == Change::kNone ? entries_[index] : changes_[before].state();
  if (!kept && held.payload == payload && held.tag == tag) {
    change.link = Change::link_of(before, kDeadTag);
    line.link = Change::link_of(before, tag);
    line.last = held.start;
    --line.count;
  } else {
    change.payload = payload;
    change.link = Change::link_of(before, tag);
    line.link = Change::link_of(line.latest(), tag);
  }
  line.payload = payload;
  return {};
}

void Timelines::end_at(std::uint32_t index, Tick end) {
  Line& line = lines_[index];
  latest_end_ = std::max(latest_end_, end);
  line.last = end;
  line.ends = true;
  ending_.push_back(index);
}

bool Timelines::overwrite(std::uint32_t index, std::uint64_t payload, Tag tag) {
  Line& line = lines_[index];
  if (line.latest() != Change::kNone) {
    Change& change = changes_[line.latest()];
    change.payload = payload;
    change.link = Change::link_of(change.before(), tag);
  } else if (first_ == start_ && entries_[index].start == start_) {
    entries_[index].payload = payload;
    entries_[index].tag = tag;
    keys_[index].absent_first = presence_of(tag) == Presence::absent;
  } else {
    return false;
  }
  line.payload = payload;
  line.link = Change::link_of(line.latest(), tag);
  return true;
}

State Timelines::ongoing(std::uint32_t index) const {
  const Line& line = lines_[index];
  const bool changed = line.latest() != Change::kNone;
  const Tick start = changed ? changes_[line.latest()].time : entries_[index].start;
  return {start, line.payload, line.tag()};
}

void Timelines::states(std::uint32_t index, std::vector<State>& into) const {
  into.clear();
  for (std::uint32_t at = lines_[index].latest(); at != Change::kNone; at = changes_[at].before())
    into.push_back(changes_[at].state());
  into.push_back(entries_[index]);
  std::ranges::reverse(into);
}

bool Timelines::known_end(std::uint32_t index, Tick& end) const {
  end = lines_[index].last;
  return lines_[index].ends;
}

base::result<void> Timelines::settle_ends(Tick until) {
  std::vector<std::uint32_t> left;
  for (const std::uint32_t index : ending_) {
    Line& line = lines_[index];
    if (!line.ends) continue;
    if (line.last >= until) {
      left.push_back(index);
      continue;
    }
    line.ends = false;
    has_gaps_ = true;
    if (auto put = append(base::tick_after(line.last, 1), index, 0, kAbsentTag); !put) return put;
  }
  std::ranges::sort(left);
  left.erase(std::unique(left.begin(), left.end()), left.end());
  ending_ = std::move(left);
  return {};
}

void Timelines::note_first_gaps() {
  if (first_ != start_) return;
  for (std::uint32_t index = 0; index < keys_.size(); ++index) {
    if (presence_of(entries_[index].tag) == Presence::absent) keys_[index].absent_first = true;
  }
}

std::uint64_t Timelines::begun() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(changes(), [](const Change& change) {
    return change.tag() != kDeadTag && presence_of(change.tag()) != Presence::absent;
  }));
}

void Timelines::next_segment() {
  for (std::uint32_t index = 0; index < lines_.size(); ++index) {
    Line& line = lines_[index];
    if (line.count == 0) continue;
    const Tick start = changes_[line.latest()].time;
    entries_[index] = {start, line.payload, line.tag()};
    line.link = Change::link_of(Change::kNone, line.tag());
    line.count = 0;
  }
  changes_.clear();
  first_ = base::tick_after(last_, 1);
}

}  // namespace polytrace::history
