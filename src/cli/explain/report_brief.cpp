// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/report_brief.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/frame/command_line.hpp"

namespace polytrace::cli {
namespace {

using analysis::Table;

struct Kept {
  std::string_view table;
  std::size_t rows;
};
constexpr std::array kKept = {
    Kept{"suspects", 10},         Kept{"summary", 30},      Kept{"methods", 10},
    Kept{"sampled_methods", 5},   Kept{"cpu_methods", 5},   Kept{"allocations", 5},
    Kept{"allocation_sites", 5},  Kept{"heap_classes", 5},  Kept{"collection_causes", 3},
    Kept{"collection_pauses", 5}, Kept{"monitor_sites", 5}, Kept{"thrown_classes", 5},
    Kept{"throw_sites", 5},
};

// What to ask next about a suspect. {}: the method or class it is about.
struct Next {
  std::string_view fault;
  std::string_view command;
};
constexpr std::array kNext = {
    Next{"hot method", "report --method {}"},
    Next{"lock convoy", "report --sections monitors"},
    Next{"exception storm", "report --sections exceptions"},
    Next{"leak", "report --sections survival,heap"},
    Next{"full heap", "heap --path {}"},
};

std::string text_of(const analysis::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

std::string next_for(const std::vector<analysis::Cell>& suspect) {
  const auto* const found = std::ranges::find(kNext, text_of(suspect[0]), &Next::fault);
  if (found == kNext.end()) return {};
  return fmt::format(fmt::runtime(found->command), shell_quoted(text_of(suspect[1])));
}

}  // namespace

std::vector<Table> brief(std::vector<Table> tables) {
  std::vector<Table> kept;
  for (const Kept& wanted : kKept) {
    const auto table = std::ranges::find(tables, wanted.table, &Table::key);
    if (table == tables.end() || table->rows.empty()) continue;
    if (table->rows.size() > wanted.rows) {
      table->rows_left_out += table->rows.size() - wanted.rows;
      table->rows.resize(wanted.rows);
    }
    kept.push_back(std::move(*table));
  }
  return kept;
}

void append_next_steps(std::string& out, const std::vector<Table>& tables, const std::string& file,
                       const Look& look) {
  std::vector<std::string> steps;
  for (const Table& table : tables) {
    if (table.key != "suspects") continue;
    for (const auto& row : table.rows)
      if (std::string step = next_for(row); !step.empty()) steps.push_back(std::move(step));
  }
  steps.emplace_back("report --all");
  out += '\n' + paint(look.terminal, Style::heading, "Next") + '\n';
  for (const std::string& step : steps)
    out += fmt::format("  {} {} {}\n", own_command(), step, as_operand(file));
}

}  // namespace polytrace::cli
