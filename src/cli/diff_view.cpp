// SPDX-License-Identifier: Apache-2.0
#include "cli/diff_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/notices_view.hpp"
#include "cli/show/escape.hpp"
#include "cli/show/separated.hpp"

namespace polytrace::cli {
namespace {

using show::TableForm;

std::string title(const DiffResult& result) {
  return fmt::format("From {} to {}", show::printable(result.before.input.name()),
                     show::printable(result.after.input.name()));
}

std::string verdict_text(const DiffResult& result) {
  if (!result.fail_over) return {};
  if (!result.failed())
    return fmt::format("Nothing grew by more than {:.3g} %.", 100 * *result.fail_over);
  return fmt::format("{} grew by {:.1f} % of the whole, more than {:.3g} %.",
                     show::printable(result.difference.worst_at), 100 * result.difference.worst,
                     100 * *result.fail_over);
}

void append_diff_text(std::string& out, const DiffResult& result, const show::Look& look) {
  out += paint(look.terminal, show::Style::heading, title(result)) + '\n';
  const std::size_t before = out.size();
  for (const analysis::Table& table : result.difference.tables) show::append_text(out, table, look);
  if (out.size() == before) out += "\n  The traces have nothing that could be compared.\n";
  if (const std::string text = verdict_text(result); !text.empty()) out += "\n" + text + "\n";
  append_notices_text(out, result.before.passed, look);
  append_notices_text(out, result.after.passed, look);
}

void append_diff_markdown(std::string& out, const DiffResult& result, const show::Look& look) {
  out += fmt::format("# {}\n", show::markdown_text(title(result)));
  for (const analysis::Table& table : result.difference.tables)
    show::append_markdown(out, table, look);
  if (const std::string text = verdict_text(result); !text.empty())
    out += "\n" + show::markdown_text(text) + "\n";
  append_notices_markdown(out, result.before.passed);
  append_notices_markdown(out, result.after.passed);
}

void append_diff_separated(std::string& out, const DiffResult& result, show::Separator separator) {
  const auto& tables = result.difference.tables;
  const auto filled = std::ranges::count_if(
      tables, [](const analysis::Table& table) { return !table.rows.empty(); });
  for (const analysis::Table& table : tables) {
    if (table.rows.empty()) continue;
    if (!out.empty()) out += separator == show::Separator::comma ? "\r\n" : "\n";
    show::append_separated(out, table, separator, filled > 1);
  }
}

void write_side(base::JsonWriter& json, std::string_view key, const DiffInput& side) {
  json.key(key);
  json.begin_object();
  write_source(json, side.input, *side.opened.format, side.opened.reader->version());
  write_outcome(json, side.passed);
  json.end_object();
}

void append_diff_json(std::string& out, const DiffResult& result) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.diff/1");
  write_side(json, "before", result.before);
  write_side(json, "after", result.after);
  json.member("scale", result.scale);
  json.member("exact_names", result.options.exact_names);
  json.member("threshold", result.options.threshold);
  json.key("worst");
  json.begin_object();
  json.member("share", result.difference.worst);
  json.member("at", result.difference.worst_at);
  json.end_object();
  json.key("failed");
  if (result.fail_over) json.value(result.failed());
  else json.null();
  json.key("tables");
  json.begin_array();
  for (const analysis::Table& table : result.difference.tables) show::write_json(json, table);
  json.end_array();
  json.end_object();
  out += '\n';
}

}  // namespace

void append_diff(std::string& out, const DiffResult& result, TableForm form,
                 const show::Look& look) {
  switch (form) {
    case TableForm::text: return append_diff_text(out, result, look);
    case TableForm::markdown: return append_diff_markdown(out, result, look);
    case TableForm::json: return append_diff_json(out, result);
    case TableForm::csv: return append_diff_separated(out, result, show::Separator::comma);
    case TableForm::tsv: return append_diff_separated(out, result, show::Separator::tab);
  }
}

}  // namespace polytrace::cli
