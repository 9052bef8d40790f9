// SPDX-License-Identifier: Apache-2.0
// Figures of the whole trace, which no sum over blocks has. In the file, frames of the sorts of
// WholeSort, each of SVB columns in the order of the members below; of times the first is told by
// its zigzag, the last from the first.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/duration_sketch.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::store {

enum class WholeSort : std::uint8_t { threads = 1, methods = 2, locks = 3 };

// By index.
struct ThreadWhole {
  std::uint64_t events = 0;
  std::uint64_t calls = 0;
  std::uint64_t in_calls = 0;  // nanoseconds
  std::uint64_t deepest = 0;   // most calls that were open at once
  std::uint64_t ignored = 0;   // leaves that ended nothing
  std::uint64_t cut = 0;       // calls that ended when a caller was left
  std::uint64_t unended = 0;   // calls that were open at the end
  std::uint64_t dropped = 0;   // calls beyond the limit of open calls
  base::Time first = base::kNoTime;
  base::Time last = base::kNoTime;

  bool operator==(const ThreadWhole&) const = default;
};

// By index: how long its calls took. In the file, behind the columns of numbers, SVB columns of its
// first bucket and of how many it has; then one of all buckets.
struct MethodWhole {
  std::uint64_t calls = 0;
  std::uint64_t total = 0;  // nanoseconds; so are the next two
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  base::DurationSketch sketch{};

  void add(std::uint64_t duration) {
    ++calls;
    total += duration;
    least = std::min(least, duration);
    most = std::max(most, duration);
    sketch.add(duration);
  }
};

void append_method_wholes(const std::vector<MethodWhole>& methods, std::string& payload);
// As read_thread_wholes(). A sketch of a method with calls is not empty.
base::result<std::vector<MethodWhole>> read_method_wholes(base::Bytes payload);

// A lock whose class some of its rows do not tell, as others do, or what came later: another
// thread's stream may tell of the object behind those who waited for it.
struct LockWhole {
  base::Id object = base::kNoId;
  std::uint64_t class_index = 0;

  bool operator==(const LockWhole&) const = default;
};

// In order of their objects. As read_thread_wholes().
void append_lock_wholes(const std::vector<LockWhole>& locks, std::string& payload);
base::result<std::vector<LockWhole>> read_lock_wholes(base::Bytes payload);

void append_thread_wholes(const std::vector<ThreadWhole>& threads, std::string& payload);
// Errors: those of base::read_svb; value_unexpected where columns do not fit each other.
base::result<std::vector<ThreadWhole>> read_thread_wholes(base::Bytes payload);

}  // namespace polytrace::store
