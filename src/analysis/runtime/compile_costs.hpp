// SPDX-License-Identifier: Apache-2.0
// How long methods were compiled, from the starts and ends of their compilations. Some recorders
// name a method there only by the runtime's id, which its definition explains later. One thread at
// a time.
#pragma once

#include <vector>

#include "analysis/analysis.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

class CompileCosts {
 public:
  struct Cost {
    std::uint32_t method = NameTable::kNone;
    std::uint64_t times = 0;
    std::uint64_t failed = 0;
    std::uint64_t total = 0;  // nanoseconds
    std::uint64_t longest = 0;
  };

  // Of kind Jit.
  void add(const Slice& slice, const event::Event& event);
  // Of kind Method: what a runtime's id means.
  void learn(const Slice& slice, const event::Event& event);

  // By method. One that was never defined has none.
  std::vector<Cost> costs() const;
  std::uint64_t times() const { return times_; }
  // Nanoseconds; of nested ones the outermost counts.
  std::uint64_t total() const { return total_; }

 private:
  // A method's index, or, with kByRuntime, the runtime's id.
  using Subject = std::uint64_t;
  static constexpr Subject kByRuntime = Subject{1} << 63;
  struct Open {
    Subject subject;
    base::Time start;
  };

  void close(std::vector<Open>& open, Subject subject, base::Time end, bool failed);

  std::vector<std::vector<Open>> open_;  // by thread, innermost last
  base::IdMap<Cost> costs_;
  base::IdMap<std::uint32_t> methods_;  // by the runtime's id
  std::uint64_t times_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace polytrace::analysis
