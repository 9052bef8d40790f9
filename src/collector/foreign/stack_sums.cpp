// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/stack_sums.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

using warehouse::FrameKind;
using warehouse::Id128;

constexpr std::string_view kOthers = "(... more)";

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}
void add_to(Amount& sum, const Amount& more) {
  sum = {sum_of(sum.count, more.count), sum_of(sum.weight, more.weight)};
}

// "(no stack recorded)": what only stands for frames.
FrameKind kind_of(std::string_view name) {
  return name.starts_with('(') && name.ends_with(')') ? FrameKind::other : FrameKind::method;
}

}  // namespace

std::optional<std::uint32_t> StackSums::time_of(Time wall, bool is_event) {
  if (wall < std::max<Time>(accepted_.oldest, 0) || wall >= accepted_.newest) return {};
  const Time second = is_event ? wall / kWindow * (kWindow / kSecond) : wall / kSecond;
  if (second > Time{~std::uint32_t{0}}) return {};
  const auto time = static_cast<std::uint32_t>(second);
  if (!times_.contains(time)) {
    if (times_.size() >= kMostTimes) return {};
    times_[time] = 1;
  }
  first_ = first_ == base::kNoTime ? wall : std::min(first_, wall);
  last_ = last_ == base::kNoTime ? wall : std::max(last_, wall);
  return time;
}

void StackSums::span(std::uint32_t time, std::uint64_t nanoseconds) {
  const std::size_t windows = nanoseconds / static_cast<std::uint64_t>(kWindow);
  std::size_t& known = times_[time];
  const std::size_t more = std::min(windows, std::min(kMostSpan, known + spans_left_));
  if (more <= known) return;
  spans_left_ -= more - known;
  known = more;
}

void StackSums::add(Key key, const Amount& amount) {
  auto at = sums_.find(key);
  if (at == sums_.end() && sums_.size() >= kMostKeys) {
    ++joined_;
    key = more_of(key);
    at = sums_.find(key);
  }
  if (at == sums_.end()) at = sums_.emplace(key, Amount()).first;
  add_to(at->second, amount);
}

Id128 StackSums::stack_of(std::uint32_t stack, StackTexts& texts) {
  if (stack == StackTexts::kMore) return frames_->lone_stack(kOthers);
  if (stack == StackTexts::kNone) return frames_->lone_stack("(no stack recorded)");
  told_.clear();
  path_.clear();
  const std::size_t room = std::min(kDeepest, frames_left_);
  if (!texts.frames(stack, room, told_)) ++cut_;
  frames_left_ -= std::min(frames_left_, told_.size());
  for (const ForeignFrame& frame : told_)
    path_.push_back(frames_->frame(kind_of(frame.name), frame.name, {frame.file, frame.line}));
  return path_.empty() ? frames_->lone_stack(kOthers) : frames_->announced(path_);
}

// Of one time and carrier. Two numbers may be the same stack: a store would take the one row for
// the other.
void StackSums::make_one(Sums::const_iterator begin, Sums::const_iterator end, std::size_t most,
                         const SeriesIds& ids, std::uint8_t gen, StackTexts& texts, Rows& rows) {
  std::vector<Sums::const_iterator> all;
  for (auto at = begin; at != end; ++at) all.push_back(at);
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return std::tuple(b->second.weight, b->second.count, a->first) <
           std::tuple(a->second.weight, a->second.count, b->first);
  });
  std::map<std::pair<Id128, std::uint64_t>, Amount> sums;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Key& key = all[i]->first;
    const bool apart = i + 1 < most || all.size() <= most;
    const Id128 stack = stack_of(apart ? key.stack : StackTexts::kMore, texts);
    const std::uint64_t subject =
        apart && key.subject != StackTexts::kNone
            ? frames_->frame(FrameKind::type, texts.subject(key.subject), {})
            : 0;
    add_to(sums[{stack, subject}], all[i]->second);
  }
  for (const auto& [where, amount] : sums) {
    warehouse::Profile10s row;
    row.service = ids.service;
    row.carrier = static_cast<std::uint8_t>(begin->first.carrier);
    row.hour = begin->first.time / 3600;
    std::tie(row.stack, row.subject) = where;
    row.series = ids.series;
    row.t = begin->first.time;
    row.gen = gen;
    row.count = amount.count;
    row.weight = amount.weight;
    rows.of<warehouse::Profile10s>().push_back(row);
  }
}

void StackSums::make(const SeriesIds& ids, std::uint64_t seed, std::uint8_t gen, StackTexts& texts,
                     base::Notices& notices, Rows& rows) {
  FrameIds frames(seed);
  frames_ = &frames;
  for (auto at = sums_.cbegin(); at != sums_.cend();) {
    const Key first = at->first;
    auto end = at;
    while (end != sums_.cend() && end->first.time == first.time &&
           end->first.carrier == first.carrier)
      ++end;
    frames.begin(static_cast<std::uint16_t>(first.time / 86'400), rows);
    make_one(at, end, times_[first.time] * RowMaker::kMostRows, ids, gen, texts, rows);
    at = end;
  }
  frames_ = nullptr;
  make_health(ids, gen, rows);
  const auto tell = [&](std::uint64_t count, std::string what) {
    if (count != 0) notices.add({base::Code::paths_merged, 1, 0, {}, std::move(what), {}});
  };
  tell(joined_, fmt::format("{} samples count for \"{}\": at most {} stacks and subjects are kept "
                            "apart",
                            joined_, kOthers, kMostKeys));
  tell(cut_, fmt::format("{} stacks are cut at their outermost ends", cut_));
}

// As of ours: what there is of each carrier in a window, whose samples are its events.
void StackSums::make_health(const SeriesIds& ids, std::uint8_t gen, Rows& rows) const {
  constexpr auto kLength = static_cast<std::uint32_t>(kWindow / kSecond);
  std::map<std::uint32_t, Health> windows;
  for (const auto& [time, spanned] : times_)
    for (std::size_t i = 0; i < spanned; ++i)
      windows.try_emplace(time / kLength * kLength + static_cast<std::uint32_t>(i) * kLength);
  for (const auto& [key, amount] : sums_) {
    Health& health = windows[key.time / kLength * kLength];
    add_to(health.sums[static_cast<std::size_t>(key.carrier)], amount);
    ++health.samples;
  }
  for (const auto& [time, health] : windows) {
    const auto of = [&](Carrier carrier) { return health.sums[static_cast<std::size_t>(carrier)]; };
    const auto small = [](std::uint64_t count) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, ~std::uint32_t{0}));
    };
    warehouse::Health10s row;
    row.service = ids.service;
    row.hour = time / 3600;
    row.series = ids.series;
    row.t = time;
    row.gen = gen;
    row.cpu_ns = of(Carrier::cpu).weight;
    row.calls = of(Carrier::calls).count;
    row.alloc_objects = of(Carrier::allocations).count;
    row.alloc_bytes = of(Carrier::allocations).weight;
    row.waits = small(of(Carrier::contentions).count);
    row.wait_ns = of(Carrier::contentions).weight;
    row.throws = small(of(Carrier::exceptions).count);
    row.events = health.samples;
    rows.of<warehouse::Health10s>().push_back(row);
  }
}

}  // namespace polytrace::collector
