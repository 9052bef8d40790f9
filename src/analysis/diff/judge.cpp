// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace polytrace::analysis {
namespace {

constexpr double kShortest = 100'000;    // nanoseconds: less than that is nobody's concern
constexpr double kMeeting = 1'000'000;   // the same of a wait or a pause: how late a thread runs,
constexpr double kLate = 5'000'000;      // and where others want its processor, too
constexpr double kStandardErrors = 3;    // of one run
constexpr double kOfOneRun = 0.25;       // of the figure: what another run does to long methods,
constexpr double kOfOneCall = 0.5;       // and beside it, to one call
constexpr double kOfMeetings = 0.75;     // how far waits and pauses of two runs lie apart
constexpr double kBetweenSeries = 0.02;  // what a machine does between two series of runs

// One chance in a hundred that a larger quotient comes by chance, by degrees of freedom.
double student_t(std::size_t freedom) {
  constexpr std::array kQuantiles = {31.82, 6.96, 4.54, 3.75, 3.36, 3.14, 3.00, 2.90, 2.82, 2.76};
  constexpr double kMany = 2.5;
  return freedom <= kQuantiles.size() ? kQuantiles[freedom - 1] : kMany;
}

double squares(const Evidence& side) {
  const double mean = side.mean();
  return std::accumulate(
      side.figures.begin(), side.figures.end(), 0.0,
      [&](double sum, double figure) { return sum + (figure - mean) * (figure - mean); });
}

double floor_of(double larger, Chance chance, bool several) {
  switch (chance) {
    case Chance::none: return 0;
    case Chance::time: return std::max(kShortest, several ? kBetweenSeries * larger : 0);
    case Chance::samples: return 0;
    case Chance::meetings: return std::max(kMeeting, several ? kOfOneRun * larger : 0);
  }
  return 0;
}

double of_series(const Evidence& before, const Evidence& after) {
  const std::size_t freedom = before.figures.size() + after.figures.size() - 2;
  const double variance = (squares(before) + squares(after)) / static_cast<double>(freedom);
  const double parts = 1 / static_cast<double>(before.figures.size()) +
                       1 / static_cast<double>(after.figures.size());
  return student_t(freedom) * std::sqrt(variance * parts);
}

double of_one_run(const Evidence& before, const Evidence& after, double larger, Chance chance) {
  switch (chance) {
    case Chance::none: return 0;
    case Chance::time: {
      const double calls = std::max({before.calls, after.calls, 1.0});
      return std::max(kStandardErrors * std::sqrt(before.variance + after.variance),
                      larger * (kOfOneRun + kOfOneCall / std::sqrt(calls)));
    }
    case Chance::samples:
      return kStandardErrors *
             std::sqrt(before.mean() * before.sample_size + after.mean() * after.sample_size);
    case Chance::meetings: {
      const double meetings = std::max({before.calls, after.calls, 1.0});
      return std::max(kStandardErrors * kLate * std::sqrt(meetings), kOfMeetings * larger);
    }
  }
  return 0;
}

}  // namespace

double Evidence::mean() const {
  if (figures.empty()) return 0;
  return std::accumulate(figures.begin(), figures.end(), 0.0) / static_cast<double>(figures.size());
}

double noise_between(const Evidence& before, const Evidence& after, Chance chance) {
  const double larger = std::max(before.mean(), after.mean());
  const bool several = before.figures.size() + after.figures.size() > 2;
  const double noise =
      several ? of_series(before, after) : of_one_run(before, after, larger, chance);
  return std::max(noise, floor_of(larger, chance, several));
}

}  // namespace polytrace::analysis
