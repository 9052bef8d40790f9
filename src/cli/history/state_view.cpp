// SPDX-License-Identifier: Apache-2.0
#include "cli/history/state_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/show/text_room.hpp"

namespace polytrace::cli {

using analysis::Unit;
using history::Interval;
using history::Key;
using history::Tree;
using service::StateTree;

namespace {

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

// Bytes and time as people read them; other units stand behind the number.
std::string value_text(const StateTree& states, const Interval& state, const Look& look) {
  if (state.value.is_null()) return "-";
  const std::string_view told = states.unit(state.key);
  analysis::Unit unit = analysis::Unit::count;
  if (told == "B") unit = analysis::Unit::bytes;
  if (told == "ns") unit = analysis::Unit::nanoseconds;
  std::string text = human_text(service::cell_of(state.value), unit, look);
  if (unit != analysis::Unit::count || told.empty()) return text;
  return fmt::format("{} {}", text, printable(told));
}

// What is right of `before` cells, in the room that a terminal leaves.
std::string fitting(std::string value, std::size_t before, const Terminal& terminal) {
  constexpr std::size_t kLeast = 8;
  if (terminal.width == 0) return value;
  const std::size_t room = terminal.width > before ? terminal.width - before : 0;
  return shortened(value, std::max(room, kLeast), terminal.unicode ? "\xe2\x80\xa6" : "~");
}

}  // namespace

void append_states(std::string& out, const analysis::Table& table, TableForm form, Look look,
                   history::Tick start) {
  switch (form) {
    case TableForm::text: return void(append_text(out, with_exact_times(table, start), look));
    case TableForm::markdown: return append_markdown(out, with_exact_times(table, start), look);
    case TableForm::json_lines:
    case TableForm::csv:
    case TableForm::tsv: return append_rows(out, std::span(&table, 1), form);
    case TableForm::json: return;
  }
}

void append_tree(std::string& out, const StateTree& states, const Look& look, bool nulls) {
  constexpr std::size_t kIndent = 2;
  constexpr std::size_t kColumn = 24;
  const Tree& tree = states.tree();
  std::vector<const Interval*> by_node(tree.size(), nullptr);
  std::vector<bool> wanted(tree.size(), false);
  for (const Interval& state : states.states()) {
    Tree::Node node = tree.node(state.key);
    if (node == Tree::kNone || !service::is_shown(state, nulls)) continue;
    by_node[node] = &state;
    for (; node != Tree::kNone && !wanted[node]; node = tree.parent(node)) wanted[node] = true;
  }
  struct Open {
    Tree::Node node;
    std::size_t depth;
  };
  std::vector<Open> open{{Tree::kTop, 0}};
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    if (node != Tree::kTop) {
      std::string line(kIndent * (depth - 1), ' ');
      line += printable(tree.name(node));
      if (by_node[node] != nullptr) {
        line.resize(std::max(line.size() + 2, kColumn), ' ');
        line += fitting(value_text(states, *by_node[node], look), cells(line), look.terminal);
      }
      out += line + '\n';
    }
    const std::size_t first = open.size();
    for (Tree::Node child = tree.first_child(node); child != Tree::kNone;
         child = tree.next_sibling(child))
      if (wanted[child]) open.push_back({child, depth + 1});
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
  }
  for (const Interval& state : states.states())
    if (tree.node(state.key) == Tree::kNone && service::is_shown(state, nulls))
      out += fmt::format("key {:<19} {}\n", state.key, value_text(states, state, look));
}

void append_threads(std::string& out, const StateTree& states, const Look& look) {
  const analysis::Table threads = service::thread_table(states);
  if (!threads.rows.empty()) append_text(out, threads, look);
}

}  // namespace polytrace::cli
