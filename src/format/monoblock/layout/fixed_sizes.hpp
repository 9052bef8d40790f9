// SPDX-License-Identifier: Apache-2.0
// What the sizes of the last classes were: looked up once in a hot loop. Empty where state changes.
#pragma once

#include "format/monoblock/layout/state.hpp"

namespace polytrace::format::monoblock {

class FixedSizes {
 public:
  std::uint64_t of(base::Id class_id, const State& state) {
    Known& known = known_[class_id % known_.size()];
    if (known.class_id != class_id) known = {class_id, state.fixed_size(class_id)};
    return known.size;
  }
  void clear() { known_.fill({}); }

 private:
  struct Known {
    base::Id class_id = base::kNoId;
    std::uint64_t size = 0;
  };
  std::array<Known, 64> known_{};
};

}  // namespace polytrace::format::monoblock
