// SPDX-License-Identifier: Apache-2.0
#include "service/states/state_tree.hpp"

#include <fmt/format.h>

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

constexpr std::string_view kEnded = "ended";

struct ListedThread {
  std::string title;  // its name and id
  std::string status;
  std::string doing;
};

class ThreadLister {
 public:
  explicit ThreadLister(const StateTree& states)
      : states_(states), tree_(states.tree()), all_(tree_.find(Tree::kTop, "Threads")) {}

  // Those that live, by name; those without one behind, by id; then those that have ended.
  std::vector<ListedThread> run() const {
    std::vector<std::pair<std::string, ListedThread>> found;
    if (all_ == Tree::kNone) return {};
    for (Tree::Node at = tree_.first_child(all_); at != Tree::kNone; at = tree_.next_sibling(at)) {
      const std::string status = text(at, "Status");
      if (status.empty()) continue;
      const std::string name = text(at, "Name");
      std::string doing = wait(at);
      if (doing.empty()) doing = text(at, "Method");
      found.push_back({fmt::format("{:d}{:d}{}", status == kEnded, name.empty(), name),
                       {title(tree_.name(at)), status, std::move(doing)}});
    }
    std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
    std::vector<ListedThread> threads;
    for (auto& one : found) threads.push_back(std::move(one.second));
    return threads;
  }

 private:
  // Of an attribute; empty for null.
  std::string text(Tree::Node parent, std::string_view attribute) const {
    if (parent == Tree::kNone) return {};
    const history::Value value = states_.value(tree_.find(parent, attribute));
    return value.type() == history::Type::string ? std::string(value.text()) : std::string();
  }
  std::string title(std::string_view id) const {
    const std::string name = text(tree_.find(all_, id), "Name");
    return name.empty() ? std::string(id) : fmt::format("{} ({})", name, id);
  }
  // "waits for 0x70 (App.Lock), which main (0x1) owns"; empty when it does not wait.
  std::string wait(Tree::Node thread) const {
    const std::string object = text(thread, "Waits for");
    if (object.empty()) return {};
    const Tree::Node monitors = tree_.find(Tree::kTop, "Monitors");
    const Tree::Node monitor = monitors == Tree::kNone ? Tree::kNone : tree_.find(monitors, object);
    std::string words = "waits for " + object;
    if (const std::string type = text(monitor, "Class"); !type.empty()) words += " (" + type + ")";
    if (const std::string owner = text(monitor, "Owner"); !owner.empty())
      words += fmt::format(", which {} owns", title(owner));
    return words;
  }

  const StateTree& states_;
  const Tree& tree_;
  Tree::Node all_;
};

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

std::uint64_t StateTree::leave_out_ended() {
  const Tree& tree = history_->tree();
  const Tree::Node threads = tree.find(Tree::kTop, "Threads");
  std::vector<bool> is_left_out(tree.size());
  std::uint64_t count = 0;
  if (threads == Tree::kNone) return count;
  for (Tree::Node at = tree.first_child(threads); at != Tree::kNone; at = tree.next_sibling(at)) {
    const history::Value status = value(tree.find(at, "Status"));
    is_left_out[at] = status.type() == Type::string && status.text() == kEnded;
    count += is_left_out[at];
  }
  std::erase_if(states_, [&](const Interval& state) {
    Tree::Node at = tree.node(state.key);
    while (at != Tree::kNone && at != Tree::kTop && !is_left_out[at]) at = tree.parent(at);
    return at != Tree::kNone && at != Tree::kTop;
  });
  return count;
}

analysis::Table thread_table(const StateTree& states) {
  analysis::Table table;
  table.key = "threads";
  table.section = "states";
  table.title = "Threads";
  table.columns = {{"thread", "Thread"}, {"status", "Status"}, {"doing", "Doing"}};
  for (ListedThread& thread : ThreadLister(states).run())
    table.rows.push_back(
        {std::move(thread.title), std::move(thread.status), std::move(thread.doing)});
  return table;
}

}  // namespace polytrace::service
