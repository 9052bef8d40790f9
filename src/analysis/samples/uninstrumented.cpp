// SPDX-License-Identifier: Apache-2.0
#include "analysis/samples/uninstrumented.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "event/missing.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::size_t kMostNamed = 3;

}  // namespace

std::string list_text(const std::vector<std::string>& names) {
  const std::size_t named = std::min(names.size(), kMostNamed);
  std::string text = fmt::format("{}", fmt::join(std::span(names).first(named), ", "));
  if (named < names.size()) text += fmt::format(" and {} more", names.size() - named);
  return text;
}

bool Uninstrumented::take(const event::Setting& setting) {
  const bool calls = setting.key.starts_with(event::kCallsLeftOut);
  if (!calls && !setting.key.starts_with(event::kAllocationsLeftOut)) return false;
  const std::string_view prefix = calls ? event::kCallsLeftOut : event::kAllocationsLeftOut;
  const std::string_view reason = setting.key.substr(prefix.size());
  auto group = std::ranges::find_if(
      groups_, [&](const Group& one) { return one.calls == calls && one.reason == reason; });
  if (group == groups_.end()) group = groups_.insert(group, {calls, std::string(reason)});
  group->methods.emplace_back(setting.value);
  return true;
}

std::string text_of(const Uninstrumented::Group& group) {
  return fmt::format("{} of {}: {}", group.calls ? "calls" : "allocations",
                     list_text(group.methods), group.reason);
}

}  // namespace polytrace::analysis
