// SPDX-License-Identifier: Apache-2.0
#include "analysis/trace_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/calltree.hpp"
#include "analysis/names_alike.hpp"
#include "analysis/rows.hpp"
#include "analysis/selected.hpp"
#include "analysis/text.hpp"

namespace polytrace::analysis {
namespace {

// How a table of a report becomes a table of differences.
struct Topic {
  std::string_view key;  // of the new table
  std::string_view section;
  std::string_view title;
  std::string_view source;  // the report's table
  std::string_view name;    // its columns: what rows go by,
  std::string_view figure;  // what is compared,
  std::string_view count;   // and what is shown beside it; empty: nothing
  NameKind kind;
  bool is_time;  // scaled when times are
};
constexpr std::array kTopics = {
    Topic{"diff_methods", "calls", "Methods: time of their own", "methods", "method", "self",
          "calls", NameKind::method, true},
    Topic{"diff_allocations", "allocations", "Allocations by class", "allocations", "class",
          "bytes", "count", NameKind::type, true},
    Topic{"diff_collections", "collections", "Collections by generation", "collection_generations",
          "generation", "total", "count", NameKind::plain, true},
    Topic{"diff_locks", "monitors", "Waits for locks by class", "monitor_classes", "class", "wait",
          "contentions", NameKind::type, true},
    Topic{"diff_exceptions", "exceptions", "Exceptions by class", "thrown_classes", "class",
          "thrown", "", NameKind::type, true},
    Topic{"diff_heap", "heap", "Heap: the last snapshot, by class", "heap_classes", "class",
          "bytes", "objects", NameKind::type, false},
};

struct Side {
  double figure = 0;
  double count = 0;
  bool there = false;
};
struct Pair {
  std::string name;  // as the first trace that has it spells it
  Side before;
  Side after;
  double noise = 0;
  double change() const { return after.figure - before.figure; }
};
using Pairs = std::map<std::string, Pair>;

std::optional<std::size_t> column(const Table& table, std::string_view key) {
  const auto found = std::ranges::find(table.columns, key, &ColumnInfo::key);
  if (key.empty() || found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

double number(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> double {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
          return static_cast<double>(value);
        else return 0;
      },
      cell);
}

std::string text(const Cell& cell) {
  if (const auto* name = std::get_if<std::string>(&cell)) return *name;
  if (std::holds_alternative<std::monostate>(cell)) return "(not told)";
  return fmt::format("{}", number(cell));
}

void gather(const DiffSide& trace, const Topic& topic, bool exact, double scale, Side Pair::* side,
            Pairs& pairs) {
  const Table* table = trace.table(topic.source);
  if (table == nullptr) return;
  const auto name = column(*table, topic.name);
  const auto figure = column(*table, topic.figure);
  const auto count = column(*table, topic.count);
  const auto snapshot = column(*table, "snapshot");
  if (!name || !figure) return;
  for (const auto& row : table->rows) {
    if (snapshot && row[*snapshot] != table->rows.back()[*snapshot]) continue;
    std::string spelt = text(row[*name]);
    std::string key = exact ? spelt : alike(spelt, topic.kind);
    Pair& pair = pairs[std::move(key)];
    if (pair.name.empty()) pair.name = std::move(spelt);
    Side& of = pair.*side;
    of.there = true;
    of.figure += number(row[*figure]) * scale;
    if (count) of.count += number(row[*count]) * scale;
  }
}

std::string_view verdict(const Pair& pair) {
  if (!pair.before.there) return "new";
  if (!pair.after.there) return "gone";
  if (std::abs(pair.change()) < pair.noise) return "noise";
  return pair.change() > 0 ? "more" : pair.change() < 0 ? "less" : "same";
}

Cell whole_number(double value) { return static_cast<std::int64_t>(std::llround(value)); }

Unit unit_of(const DiffSide& before, const DiffSide& after, const Topic& topic,
             std::string_view key) {
  const Table* table = before.table(topic.source);
  if (table == nullptr) table = after.table(topic.source);
  return table == nullptr ? Unit::none : table->columns[*column(*table, key)].unit;
}

class Comparison {
 public:
  Comparison(const DiffSide& before, const DiffSide& after, const DiffOptions& options)
      : before_(before),
        after_(after),
        options_(options),
        scale_(scale_of(before, after, options.per)) {}

  Difference run() {
    difference_.tables.push_back(suspects());
    difference_.tables.push_back(overview());
    for (const Topic& topic : kTopics) {
      difference_.tables.push_back(compare(topic));
      if (topic.section == "calls") add_tree();
    }
    return std::move(difference_);
  }

 private:
  Pairs gather_both(const Topic& topic) const {
    Pairs pairs;
    gather(before_, topic, options_.exact_names, 1, &Pair::before, pairs);
    gather(after_, topic, options_.exact_names, topic.is_time ? scale_ : 1, &Pair::after, pairs);
    return pairs;
  }
  void add_noise(Pairs& pairs) const;
  void add_tree();
  Table empty_table(const Topic& topic) const;
  Table compare(const Topic& topic);
  Table suspects() const;
  Table overview() const;

  const DiffSide& before_;
  const DiffSide& after_;
  const DiffOptions& options_;
  double scale_;
  Difference difference_;
};

void Comparison::add_noise(Pairs& pairs) const {
  const auto one = before_.windows(options_.exact_names);
  const auto other = after_.windows(options_.exact_names);
  for (auto& [key, pair] : pairs) {
    const auto noise = [&](const auto& windows) {
      const auto found = windows.find(key);
      return found == windows.end() ? 0 : noise_of(found->second);
    };
    pair.noise = std::hypot(noise(one), scale_ * noise(other));
  }
}

void Comparison::add_tree() {
  if (before_.profile() == nullptr || after_.profile() == nullptr) return;
  if (before_.weight() != after_.weight()) return;
  const Profile both = compared(*after_.profile(), *before_.profile(), options_.exact_names);
  difference_.tables.push_back(tree_difference(both, scale_, options_.threshold, options_.table));
}

Table Comparison::empty_table(const Topic& topic) const {
  const Unit unit = unit_of(before_, after_, topic, topic.figure);
  std::vector<ColumnInfo> columns = {{"before", "Before", unit},
                                     {"after", "After", unit},
                                     {"change", "Change", unit},
                                     {"change_share", "Of its own %", Unit::percent},
                                     {"share", "Of all %", Unit::percent}};
  if (!topic.count.empty()) {
    columns.push_back({"count_before", "Count before", Unit::count});
    columns.push_back({"count_after", "after", Unit::count});
  }
  columns.push_back({"verdict", "Verdict"});
  columns.push_back({"name", "Name"});
  return make_table(std::string(topic.key), std::string(topic.section), std::string(topic.title),
                    columns);
}

Table Comparison::compare(const Topic& topic) {
  Table table = empty_table(topic);
  Pairs all = gather_both(topic);
  if (topic.section == "calls") add_noise(all);
  double whole_before = 0;
  double whole_after = 0;
  for (const auto& [key, pair] : all)
    whole_before += pair.before.figure, whole_after += pair.after.figure;
  const double whole = std::max(whole_before, whole_after);
  std::vector<const Pair*> rows;
  std::uint64_t small = 0;
  std::uint64_t noisy = 0;
  for (const auto& [key, pair] : all) {
    if (pair.change() == 0) continue;
    if (std::abs(pair.change()) < options_.threshold * whole) ++small;
    else rows.push_back(&pair);
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const Pair* pair) { return std::abs(pair->change()); });
  for (const Pair* pair : rows) {
    const std::string_view word = verdict(*pair);
    noisy += word == "noise";
    // Where there was nothing before, any growth is endless: the whole after stands for it.
    const double growth = pair->change() / (whole_before > 0 ? whole_before : whole);
    if (word != "noise" && growth > difference_.worst) {
      difference_.worst = growth;
      difference_.worst_at = fmt::format("{} ({})", pair->name, topic.title);
    }
    std::vector<Cell> row = {whole_number(pair->before.figure), whole_number(pair->after.figure),
                             whole_number(pair->change()), Cell{}, 100 * pair->change() / whole};
    if (pair->before.figure > 0) row[3] = 100 * pair->change() / pair->before.figure;
    if (!topic.count.empty()) {
      row.push_back(whole_number(pair->before.count));
      row.push_back(whole_number(pair->after.count));
    }
    row.emplace_back(std::string(word));
    row.emplace_back(pair->name);
    table.rows.push_back(std::move(row));
  }
  if (small != 0)
    table.notes.push_back(fmt::format("{} of less than {:g} % of all left out (--threshold).",
                                      count_text(small, "change", "changes"),
                                      100 * options_.threshold));
  if (noisy != 0)
    table.notes.push_back(
        "noise: the change is smaller than twice the standard error that the method's time has "
        "from "
        "window to window of the traces.");
  sort_and_limit(table, options_.table, "");
  return table;
}

// Suspects of one fault go together, in their order.
Table Comparison::suspects() const {
  Table table = make_table(
      "diff_suspects", "suspects", "Suspects",
      {{"fault", "Looks like"}, {"verdict", "Verdict"}, {"what", "Where"}, {"why", "Why"}});
  using Rows = std::vector<std::vector<Cell>>;
  static const Rows kNoRows;
  const auto rows_of = [&](const DiffSide& side) -> const Rows& {
    const Table* found = side.table("suspects");
    return found == nullptr ? kNoRows : found->rows;
  };
  const auto count = [](const Rows& rows, const Cell& fault, std::size_t end) {
    return std::count_if(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(end),
                         [&](const auto& row) { return row[0] == fault; });
  };
  const auto add = [&](const Rows& rows, const Rows& others, const char* alone, bool both) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool shared = count(rows, rows[i][0], i) < count(others, rows[i][0], others.size());
      if (shared && !both) continue;
      table.rows.push_back(
          {rows[i][0], std::string(shared ? "in both" : alone), rows[i][1], rows[i][2]});
    }
  };
  add(rows_of(after_), rows_of(before_), "new", false);
  add(rows_of(before_), rows_of(after_), "gone", true);
  return table;
}

Table Comparison::overview() const {
  Table table = make_table("diff_totals", "summary", "In all",
                           {{"trace", "Trace"}, {"span", "Span", Unit::nanoseconds}});
  for (const Topic& topic : kTopics)
    table.columns.push_back({std::string(topic.source), std::string(topic.source),
                             unit_of(before_, after_, topic, topic.figure)});
  constexpr std::array kShort = {"Self time",  "Allocated", "Collecting",
                                 "Lock waits", "Thrown",    "Heap"};
  for (std::size_t i = 0; i < kShort.size(); ++i) table.columns[i + 2].title = kShort[i];
  const auto span = [](std::uint64_t time) { return static_cast<std::int64_t>(time); };
  table.rows = {{std::string("before"), span(before_.span())},
                {std::string("after"), span(after_.span())},
                {std::string("change"), span(after_.span()) - span(before_.span())}};
  for (const Topic& topic : kTopics) {
    double before = 0;
    double after = 0;
    for (const auto& [key, pair] : gather_both(topic))
      before += pair.before.figure, after += pair.after.figure;
    table.rows[0].push_back(whole_number(before));
    table.rows[1].push_back(whole_number(after));
    table.rows[2].push_back(whole_number(after - before));
  }
  if (scale_ != 1)
    table.notes.push_back(
        fmt::format("Figures of the second trace are multiplied by {:.4g} (--per), but its span "
                    "and what its heap holds.",
                    scale_));
  return table;
}

double calls_of(const DiffSide& side) {
  const Table* table = side.table("methods");
  double calls = 0;
  if (table == nullptr) return calls;
  const auto at = column(*table, "calls");
  for (const auto& row : table->rows) calls += number(row[*at]);
  return calls;
}

std::vector<const Section*> compared_sections() {
  std::vector<const Section*> out = {find_section("suspects")};
  for (const Topic& topic : kTopics) out.push_back(find_section(topic.section));
  return out;
}

}  // namespace

// The walk through the calls is the largest part of the work: there is one, the report's.
DiffSide::DiffSide(const Selection& selection, const Weight* weight)
    : report_(compared_sections(), selection),
      builder_(selection, {.weight = weight, .tree = report_.tree()}) {
  report_.tree()->fill(windows_);
  report_.share_slices([this](const Slice& slice) { builder_.consume(slice); });
}

void DiffSide::finish() {
  report_.finish();
  if (auto profile = builder_.finish(report_.names())) profile_ = std::move(*profile);
  tables_ = report_.tables({"", 0});
}

const Table* DiffSide::table(std::string_view key) const {
  const auto found = std::ranges::find(tables_, key, &Table::key);
  return found == tables_.end() || found->rows.empty() ? nullptr : &*found;
}

std::uint64_t DiffSide::span() const {
  base::Time first = base::kNoTime;
  base::Time last = base::kNoTime;
  for (const ThreadInfo& thread : report_.names().threads()) {
    if (thread.events == 0 || thread.id == base::kNoId) continue;
    first = first == base::kNoTime ? thread.first : std::min(first, thread.first);
    last = std::max(last, thread.last);
  }
  return elapsed(first, last);
}

std::map<std::string, std::vector<double>> DiffSide::windows(bool exact) const {
  std::map<std::string, std::vector<double>> out;
  const Names& names = report_.names();
  for (std::uint32_t i = 0; i < names.methods().size(); ++i) {
    const std::vector<double> own = windows_.of(i);
    const std::string name = names.method_name(i);
    std::vector<double>& sum = out[exact ? name : alike(name, NameKind::method)];
    sum.resize(std::max(sum.size(), own.size()));
    for (std::size_t w = 0; w < own.size(); ++w) sum[w] += own[w];
  }
  return out;
}

double scale_of(const DiffSide& before, const DiffSide& after, PerWhat per) {
  if (per == PerWhat::nothing) return 1;
  const bool time = per == PerWhat::time;
  const double one = time ? static_cast<double>(before.span()) : calls_of(before);
  const double other = time ? static_cast<double>(after.span()) : calls_of(after);
  return one > 0 && other > 0 ? one / other : 1;
}

Difference compare(const DiffSide& before, const DiffSide& after, const DiffOptions& options) {
  return Comparison(before, after, options).run();
}

}  // namespace polytrace::analysis
