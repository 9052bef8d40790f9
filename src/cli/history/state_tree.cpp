// SPDX-License-Identifier: Apache-2.0
#include "cli/history/state_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/history/state_table.hpp"
#include "cli/show/escape.hpp"
#include "cli/show/shorten.hpp"

namespace polytrace::cli {

using history::History;
using history::Interval;
using history::Key;
using history::Tree;

base::result<StateTree> StateTree::take(const History& history, history::Tick t,
                                        const std::vector<Key>& keys, history::TypesFile notes) {
  StateTree tree(history, std::move(notes));
  const auto done = history.full(t, [&](const Interval& state) {
    if (std::ranges::binary_search(keys, state.key)) tree.states_.push_back(state);
  });
  if (!done) return base::Unexpected(done.error());
  return tree;
}

history::Value StateTree::value(Tree::Node node) const {
  const Key key = node == Tree::kNone ? history::kNoKey : history_.tree().key(node);
  const auto found = std::ranges::lower_bound(states_, key, {}, &Interval::key);
  const bool is_there = found != states_.end() && found->key == key;
  return is_there ? found->value : history::Value::null();
}

std::string_view StateTree::unit(Key key) const {
  const history::KeyType* const note = notes_.find(key);
  return note == nullptr ? std::string_view() : note->unit;
}

// Bytes and time as people read them; other units stand behind the number.
std::string StateTree::value_text(const Interval& state, const show::Look& look) const {
  if (state.value.is_null()) return "-";
  const std::string_view told = unit(state.key);
  analysis::Unit unit = analysis::Unit::count;
  if (told == "B") unit = analysis::Unit::bytes;
  if (told == "ns") unit = analysis::Unit::nanoseconds;
  std::string text = show::human_text(cell_of(state.value), unit, look);
  if (unit != analysis::Unit::count || told.empty()) return text;
  return fmt::format("{} {}", text, show::printable(told));
}

namespace {

// What is right of `before` cells, in the room that a terminal leaves.
std::string fitting(std::string value, std::size_t before, const show::Terminal& terminal) {
  constexpr std::size_t kLeast = 8;
  if (terminal.width == 0) return value;
  const std::size_t room = terminal.width > before ? terminal.width - before : 0;
  return show::shortened(value, std::max(room, kLeast), terminal.unicode ? "\xe2\x80\xa6" : "~");
}

}  // namespace

void StateTree::append_text(std::string& out, const show::Look& look, bool nulls) const {
  constexpr std::size_t kIndent = 2;
  constexpr std::size_t kColumn = 24;
  const Tree& tree = history_.tree();
  std::vector<const Interval*> by_node(tree.size(), nullptr);
  std::vector<bool> wanted(tree.size(), false);
  for (const Interval& state : states_) {
    Tree::Node node = tree.node(state.key);
    if (node == Tree::kNone || !is_shown(state, nulls)) continue;
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
      line += show::printable(tree.name(node));
      if (by_node[node] != nullptr) {
        line.resize(std::max(line.size() + 2, kColumn), ' ');
        line += fitting(value_text(*by_node[node], look), show::cells(line), look.terminal);
      }
      out += line + '\n';
    }
    const std::size_t first = open.size();
    for (Tree::Node child = tree.first_child(node); child != Tree::kNone;
         child = tree.next_sibling(child))
      if (wanted[child]) open.push_back({child, depth + 1});
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
  }
  for (const Interval& state : states_)
    if (tree.node(state.key) == Tree::kNone && is_shown(state, nulls))
      out += fmt::format("key {:<19} {}\n", state.key, value_text(state, look));
}

analysis::Table StateTree::table(bool nulls) const {
  StateTable table(history_, 0, false);
  for (const Interval& state : states_)
    if (is_shown(state, nulls)) table.add(state, 0);
  return table.take();
}

void StateTree::write(base::JsonWriter& json, bool nulls) const {
  json.begin_array();
  for (const Interval& state : states_) {
    if (!is_shown(state, nulls)) continue;
    const Tree::Node node = history_.tree().node(state.key);
    json.begin_object();
    json.key("path");
    if (node == Tree::kNone) json.null();
    else json.value("/" + history_.tree().path(node));
    json.member("key", state.key);
    json.member("type", name(state.value.type()));
    json.key("value");
    if (state.value.type() == history::Type::boolean) json.value(state.value.truth());
    else show::write_cell(json, cell_of(state.value), analysis::Unit::none);
    if (!unit(state.key).empty()) json.member("unit", unit(state.key));
    json.member("start", state.start);
    json.member("end", state.end);
    json.end_object();
  }
  json.end_array();
}

}  // namespace polytrace::cli
