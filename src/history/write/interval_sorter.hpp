// SPDX-License-Identifier: Apache-2.0
// Puts any number of intervals in order in bounded memory: sorted runs in a temporary file, merged
// at the end. For sources that have another order than who needs them. One thread at a time.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "history/model/value.hpp"
#include "history/write/scratch_file.hpp"

namespace polytrace::history {

enum class IntervalOrder : std::uint8_t {
  by_key,   // then start, then end
  by_time,  // start, then key, then end
};

class IntervalSorter {
 public:
  // Keeps about `most_bytes` in memory, 1 MiB at least, or twice the longest text.
  explicit IntervalSorter(IntervalOrder order, std::size_t most_bytes = std::size_t{256} << 20);

  // Copies them. `ongoing` is not kept. Errors: write_failed.
  base::result<void> add(std::span<const Interval> intervals);

  // Gives all of them in order, equal ones in that of add(), some at a time, valid during the call.
  // Once, after the last add(). Errors: write_failed, read_failed, those of `each`.
  using Each = std::function<base::result<void>(std::span<const Interval>)>;
  base::result<void> deliver(const Each& each);

 private:
  struct Held {
    Tick start;
    Tick end;
    std::uint64_t bits;  // of a text: where it begins in texts_
    Key key;
    std::uint32_t length;
    Type type;
  };
  class Run;

  bool before(const Held& a, const Held& b) const;
  void sort();
  Interval interval(const Held& held) const;
  base::result<void> flush();
  base::result<void> deliver_held(const Each& each);
  base::result<void> merge(const Each& each);

  IntervalOrder order_;
  std::size_t most_bytes_;
  std::vector<Held> held_{};
  std::string texts_{};
  ScratchFile file_{};
  std::vector<std::uint64_t> ends_{};  // of the runs in the file
};

}  // namespace polytrace::history
