// SPDX-License-Identifier: Apache-2.0
#include "cli/show/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text/figure_text.hpp"
#include "cli/show/text_room.hpp"
#include "cli/show/text_table.hpp"

namespace polytrace::cli {
namespace {

using analysis::Cell;
using analysis::Table;

struct FormWord {
  TableForm form;
  std::string_view word;
};
constexpr std::array<FormWord, 6> kForms{{{TableForm::text, "text"},
                                          {TableForm::json, "json"},
                                          {TableForm::json_lines, "jsonl"},
                                          {TableForm::csv, "csv"},
                                          {TableForm::markdown, "md"},
                                          {TableForm::tsv, "tsv"}}};

// The first known cell of a column tells its type.
Cell sample(const Table& table, std::size_t column) {
  for (const auto& row : table.rows) {
    if (!std::holds_alternative<std::monostate>(row[column])) return row[column];
  }
  return {};
}

bool is_depth(const Table& table, std::size_t column) {
  return table.depth_column >= 0 && column == static_cast<std::size_t>(table.depth_column);
}

std::size_t depth_of(const Table& table, const std::vector<Cell>& row) {
  if (table.depth_column < 0) return 0;
  const Cell& cell = row[static_cast<std::size_t>(table.depth_column)];
  if (const auto* depth = std::get_if<std::uint64_t>(&cell)) return *depth;
  if (const auto* depth = std::get_if<std::int64_t>(&cell)) return static_cast<std::size_t>(*depth);
  return 0;
}

constexpr std::array<std::string_view, 8> kBlocks{"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
                                                  "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86",
                                                  "\xe2\x96\x87", "\xe2\x96\x88"};
constexpr std::array<std::string_view, 8> kPlain{".", ":", "-", "=", "+", "*", "%", "#"};

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbers(std::string_view series) {
  std::vector<double> values;
  while (!series.empty()) {
    const std::string_view word = series.substr(0, series.find(','));
    double value = kGap;
    const auto [stop, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    values.push_back(fault == std::errc{} ? value : kGap);
    series.remove_prefix(std::min(word.size() + 1, series.size()));
  }
  return values;
}

// `series` is numbers separated by commas; what is no number leaves a gap. From the least to the
// greatest value; `unicode` chooses block characters over .:-=+*%#
std::string sparkline(std::string_view series, bool unicode) {
  const std::vector<double> values = numbers(series);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const double range = most > least ? most - least : 1;
  std::string out;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      out += ' ';
      continue;
    }
    const auto height = static_cast<std::size_t>(std::clamp((value - least) / range, 0.0, 1.0) * 7);
    out += (unicode ? kBlocks : kPlain)[height];
  }
  return out;
}

// A series of numbers is a text of that column name; for people it is a small chart.
std::string shown_text(const Cell& cell, const analysis::ColumnInfo& column, const Look& look) {
  const auto* text = std::get_if<std::string>(&cell);
  if (text != nullptr && column.key == "series") return sparkline(*text, look.terminal.unicode);
  return human_text(cell, column.unit, look);
}

// Texts that are sentences; others are names.
bool is_sentence(std::string_view key) {
  return key == "text" || key == "why" || key == "effect" || key == "what" || key == "how" ||
         key == "doing" || key == "reason" || key == "root";
}

// Figures that leave a narrow terminal first, the first one first; then the others, from the right.
// By key, or by title where the key means something else in other tables.
constexpr std::array<std::string_view, 8> kLeavingFirst{
    "least", "p50", "All levels", "p95", "average", "first_event", "longest", "most"};

unsigned rank_of(const analysis::ColumnInfo& column) {
  const auto* const found = std::ranges::find_if(kLeavingFirst, [&](std::string_view word) {
    return word == column.key || word == column.title;
  });
  return 1 + static_cast<unsigned>(kLeavingFirst.end() - found);
}

// For people a tree's depth is indentation of its first text column, not a column of its own.
TextTable laid_out(const Table& table, const Look& look) {
  TextTable text;
  std::vector<std::size_t> shown;
  std::size_t label = table.columns.size();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (is_depth(table, i)) continue;
    const Cell cell = sample(table, i);
    const bool is_text = std::holds_alternative<std::string>(cell);
    if (table.columns[i].is_rare && std::holds_alternative<std::monostate>(cell)) continue;
    if (is_text && label == table.columns.size()) label = i;
    shown.push_back(i);
    const analysis::ColumnInfo& column = table.columns[i];
    const Fit fit = !is_text ? Fit::number : is_sentence(column.key) ? Fit::sentence : Fit::name;
    // The first figure stays: it is what the table is sorted by.
    const bool stays = is_text || std::ranges::none_of(text.columns, [](const TextColumn& before) {
                         return before.fit == Fit::number;
                       });
    text.columns.push_back(
        {column.title, is_right_aligned(column.unit, cell), fit, stays ? 0 : rank_of(column)});
  }
  for (const auto& row : table.rows) {
    std::vector<std::string> line;
    for (const std::size_t i : shown) {
      const std::size_t indent =
          i == label ? 2 * std::min<std::size_t>(depth_of(table, row), 40) : 0;
      line.push_back(std::string(indent, ' ') + shown_text(row[i], table.columns[i], look));
    }
    text.rows.push_back(std::move(line));
  }
  return text;
}

std::string left_out(const Table& table) {
  return fmt::format("{} more (--limit 0 shows all)", base::count_text(table.rows_left_out));
}

}  // namespace

std::vector<std::string> table_form_words() {
  std::vector<std::string> words;
  for (const auto& [form, word] : kForms) words.emplace_back(word);
  return words;
}

TableForm table_form(std::string_view word) {
  return std::ranges::find(kForms, word, &FormWord::word)->form;
}

std::string_view word_of(TableForm form) {
  return std::ranges::find(kForms, form, &FormWord::form)->word;
}

bool append_text(std::string& out, const Table& table, const Look& look) {
  if (table.rows.empty() && table.notes.empty()) return false;
  out += '\n' + paint(look.terminal, Style::heading, printable(table.title)) + '\n';
  const bool narrow =
      !table.rows.empty() && append_text_table(out, laid_out(table, look), look.terminal);
  if (table.rows_left_out != 0) out += "  ... " + left_out(table) + '\n';
  for (const std::string& note : table.notes) append_paragraph(out, printable(note), look.terminal);
  return narrow;
}

void append_markdown(std::string& out, const Table& table, const Look& look) {
  if (table.rows.empty() && table.notes.empty()) return;
  const TextTable text = laid_out(table, look);
  out += fmt::format("\n## {}\n\n", markdown_text(printable(table.title)));
  if (!table.rows.empty()) {
    std::string rule = "|";
    out += '|';
    for (const TextColumn& column : text.columns) {
      out += ' ' + markdown_text(column.title) + " |";
      rule += column.right ? "--:|" : "--|";
    }
    out += '\n' + rule + '\n';
  }
  for (const auto& row : text.rows) {
    out += '|';
    for (const std::string& cell : row) {
      const std::size_t indent = std::min(cell.find_first_not_of(' '), cell.size());
      for (std::size_t i = 0; i < indent; ++i) out += "&nbsp;";
      out += ' ' + markdown_text(std::string_view(cell).substr(indent)) + " |";
    }
    out += '\n';
  }
  if (table.rows_left_out != 0) out += '\n' + left_out(table) + '\n';
  for (const std::string& note : table.notes) out += '\n' + markdown_text(printable(note)) + '\n';
}

}  // namespace polytrace::cli
