// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/windows.hpp"

#include <algorithm>

namespace polytrace::collector {
namespace {

// Of each kind, in the order of MomentKind: 20 in all.
constexpr std::array<std::size_t, 6> kMost = {0, 8, 5, 5, 1, 1};

// Longest first, then in an order that no reading can change.
bool comes_first(const Happening& a, const Happening& b) {
  return std::tuple(b.took, a.at, a.thread, a.spot.key()) <
         std::tuple(a.took, b.at, b.thread, b.spot.key());
}

Time less_within(Time from, std::uint64_t offset) {
  Time less = 0;
  const bool over = __builtin_sub_overflow(from, static_cast<Time>(offset), &less);
  if (!over) return less;
  return static_cast<Time>(offset) > 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace

void Window::add(const Happening& happening) {
  const auto same = [&](const Happening& other) { return other.kind == happening.kind; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(happenings, same));
  if (count < kMost[static_cast<std::size_t>(happening.kind)]) {
    happenings.push_back(happening);
    return;
  }
  auto least = std::ranges::find_if(happenings, same);
  for (auto at = least; at != happenings.end(); ++at)
    if (same(*at) && comes_first(*least, *at)) least = at;
  if (comes_first(happening, *least)) *least = happening;
}

std::size_t Window::size() const {
  std::size_t all = 8 * methods.size() + threads.size() + 8;
  for (const auto& by_spot : amounts) all += by_spot.size();
  return all;
}

void Windows::set_clock(Time wall, Time at) {
  offset_ = static_cast<std::uint64_t>(wall) - static_cast<std::uint64_t>(at);
  first_ = less_within(accepted_.oldest, offset_);
  last_ = less_within(accepted_.newest, offset_);
  current_ = nullptr;
  begin_ = end_ = 0;
}

void Windows::accept(Accepted accepted) {
  accepted_ = accepted;
  if (has_clock()) set_clock(zero(), 0);
}

bool Windows::turn_to(Time time) {
  if (time < first_ || time >= last_) return false;
  const std::int64_t number = wall(time) / kWindow;
  auto found = open_.find(number);
  if (found == open_.end()) {
    if (open_.size() == kMostOpen || opened_ == kMostOpened) return false;
    found = open_.try_emplace(number).first;
    ++opened_;
  }
  current_ = &found->second;
  end_ = end_of(number);
  begin_ = end_ - kWindow;
  return true;
}

std::pair<std::int64_t, Window> Windows::take() {
  auto oldest = open_.extract(open_.begin());
  current_ = nullptr;
  begin_ = end_ = 0;
  return {oldest.key(), std::move(oldest.mapped())};
}

}  // namespace polytrace::collector
