// SPDX-License-Identifier: Apache-2.0
// Whether a figure of two programs differs by more than two runs of one program do. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace polytrace::analysis {

// What makes a figure differ from run to run.
enum class Chance : std::uint8_t {
  none,      // nothing: calls, objects, throws; what differs was done otherwise
  time,      // the machine: durations of calls
  samples,   // which objects were sampled; none where every object was told
  meetings,  // how threads met, and when the collector ran
};

// One figure of one side, in each of its runs.
struct Evidence {
  std::vector<double> figures;
  // The same without what single calls may be late by; empty where nothing is.
  std::vector<double> steady{};
  double sample_size = 0;  // bytes that a sampled object stands for on average; 0: not sampled
  double meetings = 0;     // how many waits or collections a run's figure is the sum of
  const std::vector<double>& judged() const { return steady.empty() ? figures : steady; }
};

double mean(const std::vector<double>& figures);

// How many runs of each side it takes to tell a change of times, or of how threads met, from
// chance.
inline constexpr std::size_t kRunsForTimes = 3;
bool can_judge(std::size_t runs_before, std::size_t runs_after, Chance chance);

// A difference of the means that is smaller may be chance: by how runs of one side differ, at one
// chance in a hundred (Student's t); of one run of each side, by how many objects were sampled.
// REQUIRES: can_judge().
double noise_between(const Evidence& before, const Evidence& after, Chance chance);

}  // namespace polytrace::analysis
