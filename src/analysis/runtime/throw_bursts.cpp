// SPDX-License-Identifier: Apache-2.0
#include "analysis/runtime/throw_bursts.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/table/cells.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {

// Of a burst shorter than a second, as if it took one: a handful at once is no rate.
double ThrowBursts::Burst::per_second() const {
  const double seconds = static_cast<double>(base::elapsed(first, last)) / 1e9;
  return static_cast<double>(count) / std::max(seconds, 1.0);
}

void ThrowBursts::add(base::Time time, std::uint32_t type, std::uint32_t site) {
  if (throws_.size() == kMostThrows) ++left_out_;
  else throws_.push_back({type, site, time});
}

void ThrowBursts::finish(const Names& names) {
  for (Throw& thrown : throws_)
    if (thrown.type != NameTable::kNone) thrown.type = names.resolve_class(thrown.type);
  std::ranges::stable_sort(throws_, {}, [](const Throw& t) { return std::tuple(t.type, t.time); });
  for (std::size_t begin = 0; begin < throws_.size();) {
    std::size_t end = begin + 1;
    while (end < throws_.size() && throws_[end].type == throws_[begin].type &&
           base::elapsed(throws_[end - 1].time, throws_[end].time) <= kGap) {
      ++end;
    }
    if (end - begin >= kFewest) keep(begin, end);
    begin = end;
  }
  throws_ = {};
  std::ranges::stable_sort(bursts_, std::ranges::greater(), &Burst::count);
}

void ThrowBursts::keep(std::size_t begin, std::size_t end) {
  std::map<std::uint32_t, std::uint64_t> sites;
  for (std::size_t i = begin; i < end; ++i) ++sites[throws_[i].site];
  const auto most =
      std::ranges::max_element(sites, {}, [](const auto& site) { return site.second; });
  bursts_.push_back(
      {throws_[begin].type, most->first, end - begin, throws_[begin].time, throws_[end - 1].time});
}

}  // namespace polytrace::analysis
