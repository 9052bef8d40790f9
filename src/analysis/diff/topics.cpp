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
      : topic_(topic), exact_names_(exact_names), pairs_(pairs) {
    if (topic.is_waiting) time_ = &MethodTimes::waiting;
    else if (!topic.cpu_title.empty())
      time_ = pairs.knows_cpu ? &MethodTimes::busy : &MethodTimes::worked;
  }

  void take(const DiffSide& runs, const Side& side) const {
    if (topic_.is_waiting && !pairs_.knows_cpu) return;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const std::vector<Figure>& figures = runs[run]->figures(topic_.section).all;
      for (std::size_t i = 0; i < figures.size(); ++i) {
        Evidence& evidence = pair_of(figures[i], runs.size(), side).*side.evidence;
        evidence.figures.resize(runs.size());
        if (time_ == nullptr)
          evidence.figures[run] +=
              side.scale * static_cast<double>(figures[i].amount.*topic_.compared);
        else add_times(runs[run]->method_times()[i], run, side.scale, evidence);
      }
    }
  }
  // What the runs have that do not have that name, and how far a figure may be off.
  void complete(const DiffSide& runs, const Side& side, DiffPair& pair) const {
    Evidence& evidence = pair.*side.evidence;
    evidence.figures.resize(runs.size());
    if (time_ == &MethodTimes::worked) evidence.steady.resize(runs.size());
    if (topic_.chance == Chance::samples)
      evidence.sample_size = runs.front()->sample_size() * side.scale;
    evidence.meetings = pair.*side.count;
  }

 private:
  DiffPair& pair_of(const Figure& figure, std::size_t runs, const Side& side) const {
    DiffPair& pair = pairs_.all[exact_names_ ? figure.name : alike(figure.name, topic_.kind)];
    if (pair.name.empty()) pair.name = std::string(topic_.prefix) + figure.name;
    if (topic_.has_counts())
      pair.*side.count +=
          static_cast<double>(figure.amount.count) * side.scale / static_cast<double>(runs);
    return pair;
  }
  void add_times(const MethodTimes& times, std::size_t run, double scale,
                 Evidence& evidence) const {
    evidence.figures[run] += scale * static_cast<double>(times.*time_);
    if (time_ != &MethodTimes::worked) return;
    evidence.steady.resize(evidence.figures.size());
    evidence.steady[run] +=
        scale * (static_cast<double>(times.worked) - static_cast<double>(times.late));
  }

  const DiffTopic& topic_;
  bool exact_names_;
  DiffPairs& pairs_;
  std::uint64_t MethodTimes::* time_ = nullptr;  // that is compared; null: another figure
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
  const auto knows_cpu = [](const auto& run) { return run->knows_cpu(); };
  pairs.knows_cpu = std::ranges::all_of(before, knows_cpu) && std::ranges::all_of(after, knows_cpu);
  const Gathering gathering(topic, exact_names, pairs);
  const Side was{&DiffPair::before, &DiffPair::count_before, 1};
  const Side is{&DiffPair::after, &DiffPair::count_after, topic.scales ? scale : 1};
  gathering.take(before, was);
  gathering.take(after, is);
  for (auto& [key, pair] : pairs.all) {
    gathering.complete(before, was, pair);
    gathering.complete(after, is, pair);
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
