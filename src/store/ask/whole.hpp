// SPDX-License-Identifier: Apache-2.0
// Figures of the whole trace. They need no look at its calls: what sums do not tell, the builder
// added up.
#pragma once

#include "store/ask/calls/range_sums.hpp"
#include "store/ask/method_durations.hpp"
#include "store/read/index_frames.hpp"

namespace polytrace::store {

struct ClassWhole {
  std::uint32_t class_index;  // kNoIndex: not told
  std::uint64_t objects;
  std::uint64_t bytes;
};

struct Whole {
  std::vector<MethodSum> methods{};          // by index; those that had calls or time
  std::vector<MethodDurations> durations{};  // by index
  std::vector<ClassWhole> classes{};         // by index; of what was allocated
  std::vector<ThreadWhole> threads{};        // by index
};

// Of a trace that was read to its end. Errors: those of frames.
base::result<Whole> whole(const IndexFrames& frames);

// What method_durations() gives of everything. REQUIRES: the index has method_wholes().
std::vector<MethodDurations> whole_durations(const IndexFrames& frames);
// Whether none of them is left out.
bool is_of_all_threads(const Range& range, std::uint32_t threads);

}  // namespace polytrace::store
