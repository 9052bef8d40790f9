// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace polytrace::analysis {
namespace {

constexpr double kShortest = 100'000;  // nanoseconds: less than that is nobody's concern
constexpr double kLate = 5'000'000;    // how late a thread may run where others want its processor
constexpr double kOfMeetings = 0.25;   // of the figure: how far series of them lie apart
constexpr double kBetweenSeries = 0.02;  // what a machine does between two series of runs
constexpr double kStandardErrors = 3;    // of what was sampled

// One chance in a hundred that a larger quotient comes by chance, by degrees of freedom.
double student_t(std::size_t freedom) {
  constexpr std::array kQuantiles = {31.82, 6.96, 4.54, 3.75, 3.36, 3.14, 3.00, 2.90, 2.82, 2.76};
  constexpr double kMany = 2.5;
  return freedom <= kQuantiles.size() ? kQuantiles[freedom - 1] : kMany;
}

double squares(const std::vector<double>& figures) {
  const double middle = mean(figures);
  return std::accumulate(figures.begin(), figures.end(), 0.0, [&](double sum, double figure) {
    return sum + (figure - middle) * (figure - middle);
  });
}

double floor_of(double larger, double meetings, Chance chance) {
  switch (chance) {
    case Chance::time: return std::max(kShortest, kBetweenSeries * larger);
    case Chance::meetings: return std::max(kLate * std::sqrt(meetings), kOfMeetings * larger);
    default: return 0;
  }
}

double of_series(const std::vector<double>& before, const std::vector<double>& after) {
  const std::size_t freedom = before.size() + after.size() - 2;
  if (freedom == 0) return 0;
  const double variance = (squares(before) + squares(after)) / static_cast<double>(freedom);
  const double parts =
      1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size());
  return student_t(freedom) * std::sqrt(variance * parts);
}

// Of one run of each side.
double of_samples(const Evidence& before, const Evidence& after) {
  if (before.figures.size() + after.figures.size() > 2) return 0;
  return kStandardErrors * std::sqrt(mean(before.figures) * before.sample_size +
                                     mean(after.figures) * after.sample_size);
}

}  // namespace

double mean(const std::vector<double>& figures) {
  if (figures.empty()) return 0;
  return std::accumulate(figures.begin(), figures.end(), 0.0) / static_cast<double>(figures.size());
}

bool can_judge(std::size_t runs_before, std::size_t runs_after, Chance chance) {
  if (chance != Chance::time && chance != Chance::meetings) return true;
  return std::min(runs_before, runs_after) >= kRunsForTimes;
}

double noise_between(const Evidence& before, const Evidence& after, Chance chance) {
  const double larger = std::max(mean(before.judged()), mean(after.judged()));
  return std::max({of_series(before.judged(), after.judged()), of_samples(before, after),
                   floor_of(larger, std::max({before.meetings, after.meetings, 1.0}), chance)});
}

}  // namespace polytrace::analysis
