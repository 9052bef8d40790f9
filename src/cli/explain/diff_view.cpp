// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/diff_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/notices_view.hpp"
#include "cli/show/escape.hpp"
#include "cli/show/separated.hpp"
#include "cli/show/shorten.hpp"

namespace polytrace::cli {
namespace {

using TableForm;

std::string names_of(const DiffInputs& side) {
  std::string names;
  for (const DiffInput& input : side.inputs)
    names += (names.empty() ? "" : ", ") + printable(input.input->name());
  return names;
}

std::string title(const DiffResult& result) {
  return fmt::format("From {} to {}", names_of(result.before), names_of(result.after));
}

// What failed, a line each, the worst first.
std::vector<std::string> verdict_lines(const DiffResult& result) {
  constexpr std::size_t kMostTold = 10;
  if (!result.fail_over) return {};
  const auto failures = result.failures();
  if (failures.empty())
    return {fmt::format("Nothing grew by more than {:.3g} %.", 100 * *result.fail_over)};
  std::vector<std::string> lines;
  for (const analysis::Growth& growth : failures) {
    if (lines.size() == kMostTold) break;
    lines.push_back(fmt::format("{} grew by {:.1f} % of the whole, more than {:.3g} %.",
                                printable(growth.where), 100 * growth.share,
                                100 * *result.fail_over));
  }
  if (failures.size() > lines.size())
    lines.push_back(fmt::format("{} more grew by more than that.", failures.size() - kMostTold));
  return lines;
}

void append_diff_text(std::string& out, const DiffResult& result, const Look& look) {
  out += paint(look.terminal, Style::heading, title(result)) + '\n';
  const auto verdict = verdict_lines(result);
  if (!verdict.empty()) out += '\n';
  for (const std::string& line : verdict) append_paragraph(out, line, look.terminal);
  const std::size_t before = out.size();
  for (const analysis::Table& table : result.difference.tables) append_text(out, table, look);
  if (out.size() == before) out += "\n  The traces have nothing that could be compared.\n";
  for (const DiffInputs* side : {&result.before, &result.after})
    for (const DiffInput& input : side->inputs) append_notices_text(out, input.passed, look);
}

void append_diff_markdown(std::string& out, const DiffResult& result, const Look& look) {
  out += fmt::format("# {}\n", markdown_text(title(result)));
  for (const std::string& line : verdict_lines(result))
    out += "\n" + markdown_text(line) + "\n";
  for (const analysis::Table& table : result.difference.tables)
    append_markdown(out, table, look);
  for (const DiffInputs* side : {&result.before, &result.after})
    for (const DiffInput& input : side->inputs) append_notices_markdown(out, input.passed);
}

void write_side(base::JsonWriter& json, std::string_view key, const DiffInputs& side) {
  json.key(key);
  json.begin_array();
  for (const DiffInput& input : side.inputs) {
    json.begin_object();
    write_source(json, *input.input, *input.format, input.version);
    write_outcome(json, input.passed);
    json.end_object();
  }
  json.end_array();
}

// What grew more than by chance, the largest first.
void write_growths(base::JsonWriter& json, const DiffResult& result) {
  json.key("growths");
  json.begin_array();
  for (const analysis::Growth& growth : result.difference.growths) {
    json.begin_object();
    json.member("topic", growth.topic);
    json.member("share", growth.share);
    json.member("at", growth.where);
    json.end_object();
  }
  json.end_array();
}

void append_diff_json(std::string& out, const DiffResult& result) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.diff/2");
  write_side(json, "before", result.before);
  write_side(json, "after", result.after);
  json.member("scale", result.difference.scale);
  json.member("exact_names", result.options.exact_names);
  json.member("threshold", result.options.threshold);
  write_growths(json, result);
  json.key("failed");
  if (result.fail_over) json.value(result.failed());
  else json.null();
  json.key("tables");
  json.begin_array();
  for (const analysis::Table& table : result.difference.tables) write_json(json, table);
  json.end_array();
  json.end_object();
  out += '\n';
}

}  // namespace

std::vector<analysis::Growth> DiffResult::failures() const {
  std::vector<analysis::Growth> out;
  if (!fail_over) return out;
  for (const analysis::Growth& growth : difference.growths) {
    const bool counts =
        fail_on.empty() || std::ranges::find(fail_on, growth.topic) != fail_on.end();
    if (counts && growth.share > *fail_over) out.push_back(growth);
  }
  return out;
}

void append_diff(std::string& out, const DiffResult& result, TableForm form,
                 const Look& look) {
  switch (form) {
    case TableForm::text: return append_diff_text(out, result, look);
    case TableForm::markdown: return append_diff_markdown(out, result, look);
    case TableForm::json: return append_diff_json(out, result);
    case TableForm::json_lines:
    case TableForm::csv:
    case TableForm::tsv: return append_rows(out, result.difference.tables, form);
  }
}

}  // namespace polytrace::cli
