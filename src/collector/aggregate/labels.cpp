// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "collector/aggregate/stable_names.hpp"

namespace polytrace::collector {
namespace {

// Agents tell what they were given as label= so.
constexpr std::string_view kSetting = "label.";

// What a program does not say of itself: whoever gathers knows it.
bool is_for_others(std::string_view name) {
  return name == "host" || name == "instance" || name == "tenant" || name == "container";
}

constexpr std::size_t kLongestLabelName = 64;

bool is_label_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && name.size() <= kLongestLabelName && is_letter(name[0]) &&
         std::ranges::all_of(
             name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.'; });
}

std::string joined(std::string_view name, std::string_view version) {
  if (name.empty() || version.empty()) return std::string(name);
  return fmt::format("{} {}", name, version);
}

// The member of that name; null for a free label.
std::string* fixed_label(warehouse::Labels& labels, std::string_view name) {
  if (name == "service") return &labels.service;
  if (name == "version") return &labels.version;
  if (name == "host") return &labels.host;
  if (name == "instance") return &labels.instance;
  if (name == "runtime") return &labels.runtime;
  if (name == "agent") return &labels.agent;
  return nullptr;
}

}  // namespace

base::result<std::pair<std::string, std::string>> parse_label(std::string_view text) {
  const std::size_t mark = text.find_first_of("=:");
  const std::string_view name = text.substr(0, mark);
  if (mark == text.npos || !is_label_name(name))
    return base::fail(base::Code::usage,
                      fmt::format("\"{}\" is no label: NAME=VALUE, the name of letters, digits, _ "
                                  "and dots",
                                  text));
  return std::pair(std::string(name), std::string(text.substr(mark + 1)));
}

void LabelFinder::learn(const slice::Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind == event::Kind::Setting) {
      const auto setting = slice.batch.details_or<event::Setting>(event, {});
      if (!setting.key.starts_with(kSetting)) continue;
      const std::string_view name = setting.key.substr(kSetting.size());
      if (is_label_name(name) && !is_for_others(name)) told_.emplace_back(name, setting.value);
    } else if (event.kind == event::Kind::Process && !has_process_) {
      const auto process = slice.batch.details_or<event::Process>(event, {});
      has_process_ = true;
      LabelList facts{{"service", std::string(process.name)},
                      {"host", std::string(process.host.empty() ? process.node : process.host)},
                      {"runtime", joined(process.runtime, process.runtime_version)},
                      {"agent", joined(process.agent, process.agent_version)}};
      if (event.id != 0 && event.id != base::kNoId)
        facts.emplace_back("instance", fmt::to_string(event.id));
      std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
      told_.insert(told_.begin(), facts.begin(), facts.end());
    }
  }
}

std::string label_name(std::string_view text) {
  std::string name(text.substr(0, kLongestLabelName));
  for (char& c : name)
    if (!is_label_name(std::string_view(&c, 1)) && !(c >= '0' && c <= '9') && c != '.') c = '_';
  if (!is_label_name(name)) name.insert(0, 1, '_');
  return name;
}

warehouse::Series series_row(const warehouse::Labels& labels, std::uint64_t series,
                             std::uint64_t service, std::uint64_t group, const Seen& seen) {
  warehouse::Series row;
  row.series = series;
  row.service = service;
  row.grp = group;
  row.service_name = labels.service;
  row.version = labels.version;
  row.host = labels.host;
  row.instance = labels.instance;
  row.runtime = labels.runtime;
  row.agent = labels.agent;
  for (const auto& [name, value] : labels.free) {
    row.label_names.push_back(name);
    row.label_values.push_back(value);
  }
  row.first = static_cast<std::uint32_t>(std::max<base::Time>(seen.first, 0) / 1'000'000'000);
  row.last = static_cast<std::uint32_t>(std::max<base::Time>(seen.last, 0) / 1'000'000'000);
  constexpr base::Time kMost = INT32_MAX;
  if (seen.ahead != base::kNoTime)
    row.skew_ms = static_cast<std::int32_t>(std::clamp(seen.ahead / 1'000'000, -kMost, kMost));
  return row;
}

warehouse::Labels labels_of(const LabelList& told, const LabelList& given) {
  warehouse::Labels labels;
  for (const LabelList* list : {&told, &given}) {
    for (const auto& [name, text] : *list) {
      std::string value = base::short_name(base::repaired(text), kLongestName);
      if (std::string* const fixed = fixed_label(labels, name)) {
        *fixed = std::move(value);
        continue;
      }
      const auto known =
          std::ranges::find(labels.free, name, &std::pair<std::string, std::string>::first);
      if (known != labels.free.end()) known->second = std::move(value);
      else if (labels.free.size() < kMostLabels) labels.free.emplace_back(name, std::move(value));
    }
  }
  std::ranges::sort(labels.free);
  return labels;
}

}  // namespace polytrace::collector
