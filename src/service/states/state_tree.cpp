// SPDX-License-Identifier: Apache-2.0
#include "service/states/state_tree.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/base64.hpp"
#include "history/model/value.hpp"
#include "service/json/parts.hpp"
#include "service/states/query.hpp"

namespace polytrace::service {

using analysis::Unit;
using history::History;
using history::Interval;
using history::Key;
using history::Tree;
using history::Type;

namespace {

// JSON has no numbers for what is not finite: there and elsewhere it is a word.
analysis::Cell real_cell(double number) {
  if (std::isfinite(number)) return number;
  std::string text;
  history::append_double(text, number);
  return text;
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
  const Key key = node == Tree::kNone ? history::kNoKey : history_->tree().key(node);
  const auto found = std::ranges::lower_bound(states_, key, {}, &Interval::key);
  const bool is_there = found != states_.end() && found->key == key;
  return is_there ? found->value : history::Value::null();
}

std::string_view StateTree::unit(Key key) const {
  const history::KeyType* const note = notes_.find(key);
  return note == nullptr ? std::string_view() : note->unit;
}

analysis::Table StateTree::table(bool nulls) const {
  StateTable table(*history_, 0, false);
  for (const Interval& state : states_)
    if (is_shown(state, nulls)) table.add(state, 0);
  return table.take();
}

void StateTree::write(base::JsonWriter& json, bool nulls) const {
  json.begin_array();
  for (const Interval& state : states_) {
    if (!is_shown(state, nulls)) continue;
    const Tree::Node node = history_->tree().node(state.key);
    json.begin_object();
    json.key("path");
    if (node == Tree::kNone) json.null();
    else json.value("/" + history_->tree().path(node));
    json.member("key", state.key);
    json.member("type", name(state.value.type()));
    json.key("value");
    if (state.value.type() == history::Type::boolean) json.value(state.value.truth());
    else write_cell(json, cell_of(state.value), analysis::Unit::none);
    if (!unit(state.key).empty()) json.member("unit", unit(state.key));
    json.member("start", state.start);
    json.member("end", state.end);
    json.end_object();
  }
  json.end_array();
}

}  // namespace polytrace::service
