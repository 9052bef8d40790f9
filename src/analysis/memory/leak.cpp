// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/leak.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {
namespace {

// Fewer objects of a class, or less of all that was allocated, is not worth a word.
constexpr std::uint64_t kFewestObjects = 100;
constexpr double kSmallestShare = 0.01;
// Of the objects of a leaking class, at least so many stay.
constexpr double kStaying = 0.9;
// They are made in at least this part of the time in which anything is, until nearly its end, and
// evenly: the mean allocation is not far from the middle.
constexpr double kSpread = 0.3;
constexpr double kUntil = 0.75;
constexpr double kEarliestMean = 0.25;
constexpr double kLatestMean = 0.75;
// A heap grows that is larger after so many of the collections, and by so much in all.
constexpr std::size_t kFewestSizes = 6;
constexpr double kMostlyLarger = 0.75;
constexpr double kGrowth = 1.2;

struct Span {
  base::Time first = base::kNoTime;
  base::Time last = base::kNoTime;
  std::uint64_t bytes = 0;
};

Span span_of(const ClassFates& classes) {
  Span span;
  for (const auto& [type, fate] : classes) {
    if (fate.all.made == 0) continue;
    span.first =
        span.first == base::kNoTime ? fate.all.first : std::min(span.first, fate.all.first);
    span.last = std::max(span.last, fate.all.last);
    span.bytes += fate.all.made_bytes;
  }
  return span;
}

bool made_all_the_time(const Fate& fate, const Span& span) {
  const auto whole = static_cast<double>(base::elapsed(span.first, span.last));
  const auto own = static_cast<double>(base::elapsed(fate.first, fate.last));
  if (own < kSpread * whole) return false;
  if (static_cast<double>(base::elapsed(span.first, fate.last)) < kUntil * whole) return false;
  const double mean = fate.since_first / static_cast<double>(fate.made) / own;
  return mean >= kEarliestMean && mean <= kLatestMean;
}

// The end of these is not told by Java's recorders.
bool ends_untold(std::uint32_t type, const Names& names) {
  const std::string name = names.class_name(type);
  return name == "java.lang.Thread" || name == "java.lang.Class";
}

bool leaks(const ClassFate& fate, const Span& span) {
  if (!fate.alive || fate.all.made < kFewestObjects + fate.all.young) return false;
  if (static_cast<double>(fate.all.made_bytes) < kSmallestShare * static_cast<double>(span.bytes))
    return false;
  const auto made = static_cast<double>(fate.all.made - fate.all.young);
  const std::uint64_t old = *fate.alive > fate.all.young ? *fate.alive - fate.all.young : 0;
  return static_cast<double>(old) >= kStaying * made && made_all_the_time(fate.all, span);
}

std::string described(std::uint32_t type, const ClassFate& fate, const Names& names) {
  std::string text = names.class_name(type);
  if (fate.site != NameTable::kNone) text += ", made in " + names.method_name(fate.site);
  return text;
}

bool grows(const HeapTrend::Growth& growth) {
  return static_cast<double>(growth.larger) >= kMostlyLarger * static_cast<double>(growth.steps) &&
         static_cast<double>(growth.to) >= kGrowth * static_cast<double>(growth.from);
}

std::string growth_text(const HeapTrend::Growth& growth) {
  return fmt::format("the heap grew from {} to {}, in {} of {} steps",
                     base::bytes_text(growth.from), base::bytes_text(growth.to), growth.larger,
                     growth.steps);
}

using Candidate = std::pair<std::uint32_t, ClassFate>;  // with its class

// Of several that stay, what takes most memory.
std::optional<Candidate> worst_leak(const ClassFates& classes, std::span<const Fate> sites,
                                    const Names& names) {
  const Span span = span_of(classes);
  std::optional<Candidate> worst;
  const auto consider = [&](std::uint32_t type, const ClassFate& fate) {
    if (worst && fate.all.made_bytes <= worst->second.all.made_bytes) return;
    if (leaks(fate, span) && !ends_untold(type, names)) worst = {type, fate};
  };
  for (const auto& [type, fate] : classes) consider(type, fate);
  for (const Fate& fate : sites) {
    ClassFate at_site{fate, fate.site};
    at_site.judge(true, base::kNoTime);
    consider(fate.type, at_site);
  }
  return worst;
}

const ClassFates::value_type* most_made(const ClassFates& classes) {
  const ClassFates::value_type* most = nullptr;
  for (const auto& entry : classes)
    if (most == nullptr || entry.second.all.made_bytes > most->second.all.made_bytes) most = &entry;
  return most;
}

}  // namespace

void ClassFate::judge(bool frees_told, base::Time dumped) {
  if (frees_told && all.unfollowed == 0) {
    alive = all.made - all.dead;
    evidence = "frees";
  } else if (in_dump && *in_dump <= all.made && dumped >= all.last) {
    alive = in_dump;
    evidence = "snapshot";
    all.young = 0;
  }
}

void HeapTrend::add(base::Time time, const event::HeapSize& size) {
  if (!size.generation.empty()) return;  // a part of the heap
  if (size.used != 0 && !used_told_) {
    sizes_.clear();
    used_told_ = true;
  }
  const std::uint64_t bytes = used_told_ ? size.used : size.total;
  if (bytes != 0) sizes_.push_back({time, bytes});
}

void HeapTrend::finish() { std::ranges::stable_sort(sizes_, {}, &Size::time); }

std::optional<HeapTrend::Growth> HeapTrend::growth() const {
  const auto sizes = std::span(sizes_).subspan(sizes_.size() / 4);
  if (sizes.size() < kFewestSizes) return std::nullopt;
  Growth growth{sizes.front().bytes, sizes.back().bytes, sizes.size() - 1, 0};
  for (std::size_t i = 1; i < sizes.size(); ++i)
    growth.larger += sizes[i].bytes > sizes[i - 1].bytes;
  return growth;
}

std::vector<Suspect> find_leak(const ClassFates& classes, std::span<const Fate> sites,
                               const HeapTrend& trend, const Names& names) {
  const auto worst = worst_leak(classes, sites, names);
  const auto growth = trend.growth();
  const bool growing = growth && grows(*growth);
  if (worst) {
    const ClassFate& fate = worst->second;
    std::string why = fmt::format("{} made all the time, {} still there at the end",
                                  base::count_text(fate.all.made, "object", "objects"),
                                  base::count_text(*fate.alive));
    if (growing) why += "; " + growth_text(*growth);
    return {{"leak", described(worst->first, fate, names), std::move(why)}};
  }
  if (!growing) return {};
  const auto* most = most_made(classes);
  std::string what = "heap";
  if (most != nullptr) what += "; most was made of " + described(most->first, most->second, names);
  return {{"growing heap", std::move(what), growth_text(*growth)}};
}

}  // namespace polytrace::analysis
