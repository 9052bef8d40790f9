// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "analysis/diff/pairs.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

Cell whole_number(double value) { return static_cast<std::int64_t>(std::llround(value)); }

template <class Figure>
double mean_of(const DiffSide& side, Figure figure) {
  double sum = 0;
  for (const auto& run : side) sum += static_cast<double>(std::invoke(figure, *run));
  return sum / static_cast<double>(side.size());
}

double scale_of(const DiffSide& before, const DiffSide& after, PerWhat per) {
  if (per == PerWhat::nothing) return 1;
  const auto figure = [per](const DiffRun& run) {
    return per == PerWhat::time ? static_cast<double>(run.span()) : run.calls();
  };
  const double one = mean_of(before, figure);
  const double other = mean_of(after, figure);
  return one > 0 && other > 0 ? one / other : 1;
}

class Comparison {
 public:
  Comparison(const DiffSide& before, const DiffSide& after, const DiffOptions& options)
      : before_(before), after_(after), options_(options) {
    difference_.scale = scale_of(before, after, options.per);
    for (const DiffTopic& topic : kDiffTopics)
      pairs_.push_back(pair_up(before, after, topic, options.exact_names, difference_.scale));
  }

  Difference run() {
    std::vector<Table> topics;
    for (std::size_t i = 0; i < kDiffTopics.size(); ++i) {
      topics.push_back(compare(kDiffTopics[i], pairs_[i]));
      if (kDiffTopics[i].word == "calls") add_tree(topics);
    }
    std::ranges::stable_sort(difference_.growths, [](const Growth& one, const Growth& other) {
      return std::tie(one.follows, other.share) < std::tie(other.follows, one.share);
    });
    difference_.tables = {suspects(), overview()};
    std::ranges::move(topics, std::back_inserter(difference_.tables));
    return std::move(difference_);
  }

 private:
  void add_tree(std::vector<Table>& tables) const;
  Table empty_table(const DiffTopic& topic) const;
  Table compare(const DiffTopic& topic, const DiffPairs& pairs);
  void note_growth(const DiffTopic& topic, const DiffPairs& pairs, const DiffPair& pair);
  Table suspects() const;
  Table overview() const;

  const DiffSide& before_;
  const DiffSide& after_;
  const DiffOptions& options_;
  std::vector<DiffPairs> pairs_;  // by topic
  Difference difference_;
};

// Of the first run of each side.
void Comparison::add_tree(std::vector<Table>& tables) const {
  const Profile* const before = before_.front()->profile();
  const Profile* const after = after_.front()->profile();
  if (before == nullptr || after == nullptr || before->weight != after->weight) return;
  const Profile both = compared(*after, *before, options_.exact_names);
  tables.push_back(tree_difference(both, difference_.scale, options_.threshold, options_.table));
}

Table Comparison::empty_table(const DiffTopic& topic) const {
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
  columns.push_back({"noise", "Noise", unit});
  columns.push_back({"verdict", "Verdict"});
  columns.push_back({"name", "Name"});
  return make_table(std::string(topic.key), std::string(topic.section), std::string(topic.title),
                    columns);
}

// Where there was nothing before, any growth is endless: the whole after stands for it.
void Comparison::note_growth(const DiffTopic& topic, const DiffPairs& pairs, const DiffPair& pair) {
  if (pair.is_noise() || pair.change() <= 0) return;
  const double whole = pairs.whole_before > 0 ? pairs.whole_before : pairs.whole();
  difference_.growths.push_back({topic.word, fmt::format("{} ({})", pair.name, topic.title),
                                 pair.change() / whole, topic.follows});
}

std::vector<Cell> row_of(const DiffTopic& topic, const DiffPairs& pairs, const DiffPair& pair) {
  std::vector<Cell> row = {whole_number(pair.was()), whole_number(pair.is()),
                           whole_number(pair.change()), Cell{},
                           100 * pair.change() / pairs.whole()};
  if (pair.was() > 0) row[3] = 100 * pair.change() / pair.was();
  if (!topic.count.empty()) {
    row.push_back(whole_number(pair.count_before));
    row.push_back(whole_number(pair.count_after));
  }
  row.push_back(whole_number(pair.noise));
  row.emplace_back(std::string(pair.verdict()));
  row.emplace_back(pair.name);
  return row;
}

// What is more than chance comes first.
Table Comparison::compare(const DiffTopic& topic, const DiffPairs& pairs) {
  Table table = empty_table(topic);
  std::vector<const DiffPair*> rows;
  std::uint64_t small = 0;
  for (const auto& [key, pair] : pairs.all) {
    if (pair.change() == 0) continue;
    note_growth(topic, pairs, pair);
    if (std::abs(pair.change()) < options_.threshold * pairs.whole()) ++small;
    else rows.push_back(&pair);
  }
  std::ranges::stable_sort(rows, [](const DiffPair* one, const DiffPair* other) {
    if (one->is_noise() != other->is_noise()) return other->is_noise();
    return std::abs(one->change()) > std::abs(other->change());
  });
  for (const DiffPair* pair : rows) table.rows.push_back(row_of(topic, pairs, *pair));
  if (small != 0)
    table.notes.push_back(fmt::format("{} of less than {:g} % of all left out (--threshold).",
                                      base::count_text(small, "change", "changes"),
                                      100 * options_.threshold));
  if (std::ranges::any_of(rows, &DiffPair::is_noise))
    table.notes.push_back(
        before_.size() + after_.size() > 2
            ? "noise: runs of one side differ as much."
            : "noise: two runs of one program may differ as much; give several runs of each.");
  sort_and_limit(table, options_.table, "");
  return table;
}

// Suspects of one fault go together, in their order. Of the first run of each side.
Table Comparison::suspects() const {
  Table table = make_table(
      "diff_suspects", "suspects", "Suspects",
      {{"fault", "Looks like"}, {"verdict", "Verdict"}, {"what", "Where"}, {"why", "Why"}});
  using Rows = std::vector<std::vector<Cell>>;
  static const Rows kNoRows;
  const auto rows_of = [&](const DiffSide& side) -> const Rows& {
    const Table* found = side.front()->table("suspects");
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
  const double before = mean_of(before_, &DiffRun::span);
  const double after = mean_of(after_, &DiffRun::span);
  table.rows = {{std::string("before"), whole_number(before)},
                {std::string("after"), whole_number(after)},
                {std::string("change"), whole_number(after - before)}};
  for (std::size_t i = 0; i < kDiffTopics.size(); ++i) {
    const DiffTopic& topic = kDiffTopics[i];
    table.columns.push_back({std::string(topic.word), std::string(topic.in_all),
                             unit_of(before_, after_, topic, topic.figure)});
    table.rows[0].push_back(whole_number(pairs_[i].whole_before));
    table.rows[1].push_back(whole_number(pairs_[i].whole_after));
    table.rows[2].push_back(whole_number(pairs_[i].whole_after - pairs_[i].whole_before));
  }
  if (before_.size() + after_.size() > 2)
    table.notes.push_back(fmt::format(
        "On average of {} and {}. The call tree and suspects are those of the first of each.",
        base::count_text(before_.size(), "run", "runs"),
        base::count_text(after_.size(), "run", "runs")));
  if (difference_.scale != 1)
    table.notes.push_back(
        fmt::format("Figures of the second side are multiplied by {:.4g} (--per), but its span "
                    "and what its heap holds.",
                    difference_.scale));
  return table;
}

}  // namespace

Difference compare(const DiffSide& before, const DiffSide& after, const DiffOptions& options) {
  return Comparison(before, after, options).run();
}

}  // namespace polytrace::analysis
