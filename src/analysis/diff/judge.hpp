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
  double calls = 0;        // of one run: how many durations the figure is the sum of
  double variance = 0;     // of one run's figure, from how its calls differ among themselves
  double sample_size = 0;  // bytes that a sampled object stands for on average; 0: not sampled
  double mean() const;
};

// A difference of the means that is smaller may be chance.
//   several runs of a side: by how they differ, at one chance in a hundred (Student's t)
//   one run of both: by how calls of one method differ, and by what machines do to short programs
double noise_between(const Evidence& before, const Evidence& after, Chance chance);

}  // namespace polytrace::analysis
