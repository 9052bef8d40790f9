// SPDX-License-Identifier: Apache-2.0
// Counter values are stored as differences to the previous value of the same counter, except
// doubles, strings and performance counters, which are absolute (docs/formats/mlpd.md, 4.8). Both
// directions of that rule. One thread at a time, events in file order.
#pragma once

#include "base/seeded_hash.hpp"
#include "event/batch.hpp"

namespace polytrace::format::mlpd {

class CounterSums {
 public:
  void define(base::Id counter, const event::CounterDef& definition);
  // A stored value to the absolute one.
  void add_up(base::Id counter, event::CounterValue& value);
  // An absolute value to the stored one.
  void take_apart(base::Id counter, event::CounterValue& value);

 private:
  struct Counter {
    std::uint64_t last = 0;
    bool absolute = false;
  };
  bool is_difference(base::Id counter, const event::CounterValue& value) const;
  base::IdMap<Counter> counters_;
};

}  // namespace polytrace::format::mlpd
