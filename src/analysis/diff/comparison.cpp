// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <tuple>

#include "analysis/diff/topics.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

Cell whole_number(double value) { return static_cast<std::int64_t>(std::llround(value)); }

template <class Value>
double mean_of(const DiffSide& side, Value value) {
  double sum = 0;
  for (const auto& run : side) sum += static_cast<double>(std::invoke(value, *run));
  return sum / static_cast<double>(side.size());
}

double scale_of(const DiffSide& before, const DiffSide& after, PerWhat per) {
  if (per == PerWhat::nothing) return 1;
  const auto value = [per](const DiffRun& run) {
    return per == PerWhat::time ? static_cast<double>(run.span()) : run.calls();
  };
  const double one = mean_of(before, value);
  const double other = mean_of(after, value);
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
    std::ranges::stable_sort(difference_.changes, {}, [](const Change& change) {
      return std::tuple(change.follows, -std::abs(change.share));
    });
    difference_.times_are_judged = std::ranges::all_of(pairs_, &DiffPairs::is_judged);
    difference_.tables = {suspects(), overview()};
    std::ranges::move(topics, std::back_inserter(difference_.tables));
    return std::move(difference_);
  }

 private:
  void add_tree(std::vector<Table>& tables) const;
  Table empty_table(const DiffTopic& topic, const DiffPairs& pairs) const;
  Table compare(const DiffTopic& topic, const DiffPairs& pairs);
  void note_change(const DiffTopic& topic, const DiffPairs& pairs, const DiffPair& pair);
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
  const auto& afters = after_.front()->profiles();
  for (const Profile& before : before_.front()->profiles()) {
    const auto after = std::ranges::find(afters, before.weight, &Profile::weight);
    if (after == afters.end()) continue;
    const Profile both = compared(*after, before, options_.exact_names);
    tables.push_back(tree_difference(both, difference_.scale, options_.threshold, options_.table));
    const std::string &was = before_.front()->sampling(), &is = after_.front()->sampling();
    if (before.weight->carrier == Carrier::samples && was != is)
      tables.back().notes.push_back(
          fmt::format("Samples were not taken alike (\"{}\", then \"{}\"): how many there are says "
                      "nothing of time.",
                      was, is));
    return;
  }
}

bool is_cpu(const DiffTopic& topic, const DiffPairs& pairs) {
  return pairs.knows_cpu && !topic.cpu_title.empty();
}

std::string title_of(const DiffTopic& topic, const DiffPairs& pairs) {
  return std::string(is_cpu(topic, pairs) ? topic.cpu_title : topic.title);
}

Table Comparison::empty_table(const DiffTopic& topic, const DiffPairs& pairs) const {
  const Unit unit = unit_of(before_, after_, topic);
  std::vector<ColumnInfo> columns = {{"before", "Before", unit},
                                     {"after", "After", unit},
                                     {"change", "Change", unit},
                                     {"change_share", "Of its own %", Unit::percent},
                                     {"share", "Of all %", Unit::percent}};
  if (topic.has_counts()) {
    columns.push_back({"count_before", "Count before", Unit::count});
    columns.push_back({"count_after", "after", Unit::count});
  }
  columns.push_back({"noise", "Noise", unit});
  columns.push_back({"verdict", "Verdict"});
  columns.push_back({"name", "Name"});
  return make_table(std::string(topic.key), std::string(topic.section), title_of(topic, pairs),
                    columns);
}

// "12 times", "+25.0 %".
std::string quotient_text(double was, double is) {
  if (was == 0) return "new";
  if (is == 0) return "none";
  const double quotient = is / was, digits = quotient < 10 ? 100 : 10;
  if (quotient >= 2)
    return fmt::format("{} times", base::real_text(std::round(quotient * digits) / digits));
  return fmt::format("{:+.1f} %", 100 * (is - was) / was);
}

std::string amount_text(double amount, Unit unit) {
  const auto value = static_cast<std::uint64_t>(std::llround(std::max(amount, 0.0)));
  switch (unit) {
    case Unit::nanoseconds: return base::duration_text(value);
    case Unit::bytes: return base::bytes_text(value);
    default: return base::count_text(value);
  }
}

std::string_view noun_of(const DiffTopic& topic, const DiffPairs& pairs, double amount) {
  if (is_cpu(topic, pairs)) return "of CPU time";
  return std::llround(amount) == 1 && !topic.noun_of_one.empty() ? topic.noun_of_one : topic.noun;
}

// Where there was nothing before, any growth is endless: the whole after stands for it.
void Comparison::note_change(const DiffTopic& topic, const DiffPairs& pairs, const DiffPair& pair) {
  if (!pair.is_change()) return;
  const double whole = pairs.whole_before > 0 ? pairs.whole_before : pairs.whole();
  const Unit unit = unit_of(before_, after_, topic);
  difference_.changes.push_back(
      {.topic = topic.word,
       .where = fmt::format("{} ({})", pair.name, title_of(topic, pairs)),
       .text = fmt::format("{}: {} {}, now {}: {}", pair.name, amount_text(pair.was(), unit),
                           noun_of(topic, pairs, pair.was()), amount_text(pair.is(), unit),
                           quotient_text(pair.was(), pair.is())),
       .share = pair.change() / whole,
       .follows = topic.follows});
}

// Of what it was before: of nothing there is no share.
Cell share_of_its_own(const DiffPair& pair) {
  if (pair.was() > 0) return 100 * pair.change() / pair.was();
  return {};
}

std::vector<Cell> row_of(const DiffTopic& topic, const DiffPairs& pairs, const DiffPair& pair) {
  std::vector<Cell> row = {whole_number(pair.was()), whole_number(pair.is()),
                           whole_number(pair.change()), share_of_its_own(pair),
                           100 * pair.change() / pairs.whole()};
  if (topic.has_counts()) {
    row.push_back(whole_number(pair.count_before));
    row.push_back(whole_number(pair.count_after));
  }
  row.push_back(pair.noise ? whole_number(*pair.noise) : Cell());
  row.emplace_back(std::string(pair.verdict()));
  row.emplace_back(pair.name);
  return row;
}

// What is more than chance comes first.
Table Comparison::compare(const DiffTopic& topic, const DiffPairs& pairs) {
  Table table = empty_table(topic, pairs);
  std::vector<const DiffPair*> rows;
  std::uint64_t small = 0;
  for (const auto& [key, pair] : pairs.all) {
    if (pair.change() == 0) continue;
    note_change(topic, pairs, pair);
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
    table.notes.emplace_back("noise: runs of one program may differ as much.");
  if (!pairs.is_judged && !rows.empty())
    table.notes.push_back(
        fmt::format("Not judged: what is chance in such figures is known of {} runs of each side.",
                    kRunsForTimes));
  sort_and_limit(table, options_.table, "");
  return table;
}

// Suspects of one fault go together, in their order. Of the first run of each side.
Table Comparison::suspects() const {
  Table table = make_table(
      "diff_suspects", "suspects", "Suspects",
      {{"fault", "Looks like"}, {"verdict", "Verdict"}, {"what", "Where"}, {"why", "Why"}});
  using Suspects = std::span<const Suspect>;
  const auto count = [](Suspects all, const std::string& fault) {
    return std::ranges::count(all, fault, &Suspect::fault);
  };
  const auto add = [&](Suspects all, Suspects others, const char* alone, bool both) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [fault, what, why] = all[i];
      const bool shared = count(all.first(i), fault) < count(others, fault);
      if (shared && !both) continue;
      table.rows.push_back({fault, std::string(shared ? "in both" : alone), what, why});
    }
  };
  const Suspects before = before_.front()->suspects(), after = after_.front()->suspects();
  add(after, before, "new", false);
  add(before, after, "gone", true);
  return table;
}

Table Comparison::overview() const {
  Table table = make_table("diff_totals", "summary", "In all",
                           {{"trace", "Trace"}, {"span", "Span", Unit::nanoseconds}});
  using Row = std::vector<Cell>;
  Row before{std::string("before")}, after{std::string("after")}, change{std::string("change")};
  const auto add = [&](double was, double is, bool is_known = true) {
    if (!is_known) {
      for (Row* row : {&before, &after, &change}) row->emplace_back();
      return;
    }
    before.push_back(whole_number(was));
    after.push_back(whole_number(is));
    change.push_back(whole_number(is - was));
  };
  add(mean_of(before_, &DiffRun::span), mean_of(after_, &DiffRun::span));
  for (std::size_t i = 0; i < kDiffTopics.size(); ++i) {
    const DiffTopic& topic = kDiffTopics[i];
    table.columns.push_back({std::string(topic.word),
                             is_cpu(topic, pairs_[i]) ? "CPU time" : std::string(topic.in_all),
                             unit_of(before_, after_, topic)});
    add(pairs_[i].whole_before, pairs_[i].whole_after, !topic.is_waiting || pairs_[i].knows_cpu);
  }
  table.rows = {std::move(before), std::move(after), std::move(change)};
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
