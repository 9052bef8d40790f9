// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/empty_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/show/text_table.hpp"

namespace polytrace::cli {
namespace {

// In any version. Of formats that are only read nothing is known: false.
bool lacks(const format::Format& format, std::span<const event::Kind> kinds) {
  if (format.holds == nullptr) return false;
  return std::ranges::none_of(kinds, [&](event::Kind kind) {
    return std::ranges::any_of(format.write_versions, [&](std::string_view version) {
      return format.holds(kind, version);
    });
  });
}

// "sample", "enter, leave or unwind"
std::string names_of(std::span<const event::Kind> kinds) {
  std::string out;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    out += fmt::format("{}{}",
                       i == 0                  ? ""
                       : i + 1 == kinds.size() ? " or "
                                               : ", ",
                       event::describe(kinds[i]).name);
  return out;
}

// " (record --events +alloc --option heapdump=end)"; empty where no recorder takes it by a word.
std::string recorded_with(const analysis::Section& section) {
  std::string words;
  if (!section.events.empty()) words += fmt::format(" --events +{}", section.events);
  if (!section.option.empty()) words += fmt::format(" --option {}", section.option);
  return words.empty() ? words : fmt::format(" (record{})", words);
}

EmptySection explain_one(const analysis::Report::Empty& empty, const format::Format& format) {
  const std::string events = names_of(empty.section->kinds);
  if (empty.had_events)
    return {
        empty.section, "not_selected",
        fmt::format("{} events are there, but none that is selected and says something", events)};
  if (lacks(format, empty.section->kinds))
    return {empty.section, "no_place",
            fmt::format("no {} events: the format has no place for them", events)};
  return {empty.section, "not_recorded",
          fmt::format("no {} events were recorded{}", events, recorded_with(*empty.section))};
}

}  // namespace

std::vector<EmptySection> explain(const std::vector<analysis::Report::Empty>& sections,
                                  const format::Format& format) {
  std::vector<EmptySection> out;
  for (const auto& empty : sections) out.push_back(explain_one(empty, format));
  return out;
}

void append_empty_text(std::string& out, const std::vector<EmptySection>& sections,
                       const Look& look) {
  if (sections.empty()) return;
  out += '\n' + paint(look.terminal, Style::heading, "Sections without data") + '\n';
  TextTable table{{{"Section"}, {"Why", false, Fit::sentence}}, {}};
  for (const EmptySection& one : sections)
    table.rows.push_back({std::string(one.section->key), one.text});
  append_text_table(out, table, look.terminal);
}

void append_empty_markdown(std::string& out, const std::vector<EmptySection>& sections) {
  if (sections.empty()) return;
  out += "\n## Sections without data\n\n";
  for (const EmptySection& one : sections)
    out += fmt::format("* {}: {}\n", one.section->key, one.text);
}

void write_empty(base::JsonWriter& json, const std::vector<EmptySection>& sections) {
  json.key("empty_sections");
  json.begin_array();
  for (const EmptySection& one : sections) {
    json.begin_object();
    json.member("section", one.section->key);
    json.member("reason", one.reason);
    json.member("text", one.text);
    json.end_object();
  }
  json.end_array();
}

}  // namespace polytrace::cli
