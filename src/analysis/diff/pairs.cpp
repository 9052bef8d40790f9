// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/diff/run.hpp"
#include "analysis/table/rows.hpp"

namespace polytrace::analysis {
namespace {

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

// One side of the pairs, as members of a pair.
struct Side {
  Evidence DiffPair::* evidence;
  double DiffPair::* count;
  double scale;
};

class Gathering {
 public:
  Gathering(const DiffTopic& topic, bool exact_names, DiffPairs& pairs)
      : topic_(topic), exact_names_(exact_names), pairs_(pairs) {}

  void take(const DiffSide& runs, const Side& side) const {
    for (std::size_t run = 0; run < runs.size(); ++run) {
      if (const Table* table = runs[run]->table(topic_.source); table != nullptr)
        take_rows(*table, run, runs.size(), side);
      for (auto& [key, pair] : pairs_.all)
        describe(key, *runs[run], runs.size(), pair.*side.evidence, side.scale);
    }
  }

 private:
  void take_rows(const Table& table, std::size_t run, std::size_t runs, const Side& side) const {
    const auto name = column_of(table, topic_.name);
    const auto figure = column_of(table, topic_.figure);
    const auto count = column_of(table, topic_.count);
    const auto snapshot = column_of(table, "snapshot");
    if (!name || !figure) return;
    for (const auto& row : table.rows) {
      if (snapshot && row[*snapshot] != table.rows.back()[*snapshot]) continue;
      std::string spelt = text(row[*name]);
      std::string key = exact_names_ ? spelt : alike(spelt, topic_.kind);
      DiffPair& pair = pairs_.all[std::move(key)];
      if (pair.name.empty()) pair.name = std::move(spelt);
      std::vector<double>& figures = (pair.*side.evidence).figures;
      figures.resize(runs);
      figures[run] += number(row[*figure]) * side.scale;
      if (!count) continue;
      pair.*side.count += number(row[*count]) * side.scale / static_cast<double>(runs);
      Evidence& evidence = pair.*side.evidence;
      if (topic_.chance == Chance::meetings)
        evidence.calls = std::max(evidence.calls, number(row[*count]));
    }
  }

  // How far a run's figure may be off.
  void describe(const std::string& key, const DiffRun& run, std::size_t runs, Evidence& evidence,
                double scale) const {
    evidence.figures.resize(runs);
    if (topic_.chance == Chance::samples) evidence.sample_size = run.sample_size() * scale;
    if (topic_.chance != Chance::time) return;
    const CallSpread::Sums spread = run.spread_of(key);
    evidence.calls = std::max(evidence.calls, spread.calls);
    evidence.variance = std::max(evidence.variance, spread.variance() * scale * scale);
  }

  const DiffTopic& topic_;
  bool exact_names_;
  DiffPairs& pairs_;
};

}  // namespace

std::string_view DiffPair::verdict() const {
  if (change() == 0) return "same";
  if (is_noise()) return "noise";
  if (was() == 0) return "new";
  if (is() == 0) return "gone";
  return change() > 0 ? "more" : "less";
}

DiffPairs pair_up(const DiffSide& before, const DiffSide& after, const DiffTopic& topic,
                  bool exact_names, double scale) {
  DiffPairs pairs;
  const Gathering gathering(topic, exact_names, pairs);
  gathering.take(before, {&DiffPair::before, &DiffPair::count_before, 1});
  gathering.take(after, {&DiffPair::after, &DiffPair::count_after, topic.scales ? scale : 1});
  for (auto& [key, pair] : pairs.all) {
    pair.before.figures.resize(before.size());
    pair.noise = noise_between(pair.before, pair.after, topic.chance);
    pairs.whole_before += pair.was();
    pairs.whole_after += pair.is();
  }
  return pairs;
}

Unit unit_of(const DiffSide& before, const DiffSide& after, const DiffTopic& topic,
             std::string_view key) {
  for (const DiffSide* side : {&before, &after}) {
    for (const auto& run : *side) {
      const Table* table = run->table(topic.source);
      if (table == nullptr) continue;
      const auto at = column_of(*table, key);
      return at ? table->columns[*at].unit : Unit::none;
    }
  }
  return Unit::none;
}

}  // namespace polytrace::analysis
