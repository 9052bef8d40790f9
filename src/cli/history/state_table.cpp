// SPDX-License-Identifier: Apache-2.0
#include "cli/history/state_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/base64.hpp"
#include "cli/history/history_input.hpp"
#include "history/model/value.hpp"

namespace polytrace::cli {

using analysis::Unit;
using history::Type;

namespace {

// JSON has no numbers for what is not finite: there and elsewhere it is a word.
analysis::Cell real_cell(double number) {
  if (std::isfinite(number)) return number;
  std::string text;
  history::append_double(text, number);
  return text;
}

// With all its digits, in the largest unit that is not longer: "+5.500001 ms".
std::string exact_text(base::Time time, base::Time start) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 4> kUnits{
      {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};
  const bool before = time < start;
  std::uint64_t since = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(start);
  if (before) since = ~since + 1;
  const auto* const unit = std::ranges::find_if(
      kUnits, [&](const auto& one) { return one.second <= std::max<std::uint64_t>(since, 1); });
  std::string text = fmt::format("{}{}", before ? "-" : "+", since / unit->second);
  std::string digits =
      fmt::format("{:0{}}", since % unit->second, std::to_string(unit->second).size() - 1);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (!digits.empty()) text += "." + digits;
  return fmt::format("{} {}", text, unit->first);
}

// Rounded bounds of a short state would be those of its neighbours.
analysis::Table with_exact_times(analysis::Table table, base::Time start) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].unit != Unit::time) continue;
    for (auto& row : table.rows) row[i] = exact_text(std::get<history::Tick>(row[i]), start);
    table.columns[i].unit = Unit::none;
  }
  return table;
}

}  // namespace

analysis::Cell cell_of(const history::Value& value) {
  switch (value.type()) {
    case Type::boolean: return std::string(value.truth() ? "true" : "false");
    case Type::integer: return value.integer();
    case Type::real: return real_cell(value.real());
    case Type::string: return std::string(value.text());
    case Type::bytes: {
      std::string text;
      base::append_base64(text, value.text());
      return text;
    }
    default: return {};
  }
}

StateTable::StateTable(const history::History& history, std::uint64_t limit, bool numbered)
    : history_(history), limit_(limit), numbered_(numbered) {
  const bool is_time = history.facts().ticks_per_second == 1'000'000'000;
  const Unit when = is_time ? Unit::time : Unit::none;
  table_.key = "states";
  table_.section = "states";
  table_.title = "States";
  if (numbered) table_.columns.push_back({"query", "Query", Unit::none});
  for (analysis::ColumnInfo column : {analysis::ColumnInfo{"path", "Path", Unit::none},
                                      {"key", "Key", Unit::none},
                                      {"start", "Start", when},
                                      {"end", "End", when},
                                      {"type", "Type", Unit::none},
                                      {"value", "Value", Unit::none}})
    table_.columns.push_back(std::move(column));
}

void StateTable::add(const history::Interval& interval, std::uint64_t query) {
  if (limit_ != 0 && table_.rows.size() >= limit_) {
    ++table_.rows_left_out;
    return;
  }
  std::vector<analysis::Cell> row;
  if (numbered_) row.emplace_back(query);
  row.emplace_back(path_text(history_, interval.key));
  row.emplace_back(std::uint64_t{interval.key});
  row.emplace_back(interval.start);
  row.emplace_back(interval.end);
  row.emplace_back(std::string(name(interval.value.type())));
  row.push_back(cell_of(interval.value));
  table_.rows.push_back(std::move(row));
}

void add_form(OptionList& list, std::string& form) {
  list.add("--format", form, "The form of the result; --json means --format json")
      .one_of(show::table_form_words())
      .takes("FORM")
      .shows_default()
      .in("Output");
}

show::TableForm form_of(const Session& session, const std::string& form) {
  return session.common.json ? show::TableForm::json : show::table_form(form);
}

void append_states(std::string& out, const analysis::Table& table, show::TableForm form,
                   show::Look look, history::Tick start) {
  switch (form) {
    case show::TableForm::text:
      return void(show::append_text(out, with_exact_times(table, start), look));
    case show::TableForm::markdown:
      return show::append_markdown(out, with_exact_times(table, start), look);
    case show::TableForm::json_lines:
    case show::TableForm::csv:
    case show::TableForm::tsv: return show::append_rows(out, std::span(&table, 1), form);
    case show::TableForm::json: return;
  }
}

}  // namespace polytrace::cli
