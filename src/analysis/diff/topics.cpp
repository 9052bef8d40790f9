// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/topics.hpp"

#include <algorithm>

namespace polytrace::analysis {
namespace {

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
      for (const Figure& figure : figures_of(*runs[run]).all) add(figure, run, runs.size(), side);
      for (auto& [key, pair] : pairs_.all)
        describe(key, *runs[run], run, runs.size(), pair.*side.evidence, side.scale);
    }
  }

 private:
  const Figures& figures_of(const DiffRun& run) const {
    static const Figures kNone{Unit::nanoseconds};
    if (topic_.is_waiting) return pairs_.is_known ? run.waiting() : kNone;
    if (topic_.cpu_title.empty()) return run.figures(topic_.section);
    return pairs_.is_cpu ? run.busy() : run.worked();
  }
  void add(const Figure& figure, std::size_t run, std::size_t runs, const Side& side) const {
    std::string key = exact_names_ ? figure.name : alike(figure.name, topic_.kind);
    DiffPair& pair = pairs_.all[std::move(key)];
    if (pair.name.empty()) pair.name = std::string(topic_.prefix) + figure.name;
    Evidence& evidence = pair.*side.evidence;
    evidence.figures.resize(runs);
    evidence.figures[run] += static_cast<double>(figure.amount.*topic_.compared) * side.scale;
    if (topic_.has_counts())
      pair.*side.count +=
          static_cast<double>(figure.amount.count) * side.scale / static_cast<double>(runs);
  }

  // How far a run's figure may be off.
  void describe(const std::string& key, const DiffRun& run, std::size_t number, std::size_t runs,
                Evidence& evidence, double scale) const {
    evidence.figures.resize(runs);
    if (topic_.chance == Chance::samples) evidence.sample_size = run.sample_size() * scale;
    if (topic_.cpu_title.empty() || pairs_.is_cpu) return;
    evidence.steady.resize(runs);
    evidence.steady[number] =
        evidence.figures[number] - static_cast<double>(run.own_times(key).late()) * scale;
  }

  const DiffTopic& topic_;
  bool exact_names_;
  DiffPairs& pairs_;
};

}  // namespace

std::string_view DiffPair::verdict() const {
  if (change() == 0) return "same";
  if (!noise) return "not judged";
  if (is_noise()) return "noise";
  if (was() == 0) return "new";
  if (is() == 0) return "gone";
  return change() > 0 ? "more" : "less";
}

DiffPairs pair_up(const DiffSide& before, const DiffSide& after, const DiffTopic& topic,
                  bool exact_names, double scale) {
  DiffPairs pairs;
  pairs.is_judged = can_judge(before.size(), after.size(), topic.chance);
  const auto knows_busy = [](const auto& run) { return run->knows_busy(); };
  const bool is_known =
      std::ranges::all_of(before, knows_busy) && std::ranges::all_of(after, knows_busy);
  pairs.is_cpu = is_known && !topic.cpu_title.empty();
  pairs.is_known = is_known || !topic.is_waiting;
  const Gathering gathering(topic, exact_names, pairs);
  gathering.take(before, {&DiffPair::before, &DiffPair::count_before, 1});
  gathering.take(after, {&DiffPair::after, &DiffPair::count_after, topic.scales ? scale : 1});
  for (auto& [key, pair] : pairs.all) {
    pair.before.figures.resize(before.size());
    pair.before.meetings = pair.count_before;
    pair.after.meetings = pair.count_after;
    if (pairs.is_judged) pair.noise = noise_between(pair.before, pair.after, topic.chance);
    pairs.whole_before += pair.was();
    pairs.whole_after += pair.is();
  }
  return pairs;
}

Unit unit_of(const DiffSide& before, const DiffSide& after, const DiffTopic& topic) {
  for (const DiffSide* side : {&before, &after}) {
    for (const auto& run : *side) {
      const Figures& figures = run->figures(topic.section);
      if (figures.all.empty()) continue;
      return topic.compared == &Amount::count ? Unit::count : figures.unit;
    }
  }
  return Unit::none;
}

}  // namespace polytrace::analysis
