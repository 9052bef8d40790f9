// SPDX-License-Identifier: Apache-2.0
// Remembers the classes of recently allocated objects by address, in a fixed amount of memory: an
// object is forgotten when another one needs its place. Follows moves.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace polytrace::slice {

class RecentClasses {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // At address 0 is none.
  void add(base::Id object, std::uint32_t type) {
    if (object != 0) places_[place(object)] = {object, type};
  }
  void move(base::Id from, base::Id to) {
    if (const std::uint32_t type = find(from); type != kNone) add(to, type);
  }
  std::uint32_t find(base::Id object) const {
    const Place& at = places_[place(object)];
    return at.object == object ? at.type : kNone;
  }

 private:
  static constexpr unsigned kBits = 17;  // 2 MiB in all
  struct Place {
    base::Id object = base::kNoId;
    std::uint32_t type = kNone;
  };
  static std::size_t place(base::Id object) {
    return static_cast<std::size_t>((object * 0x9e3779b97f4a7c15U) >> (64 - kBits));
  }

  std::vector<Place> places_ = std::vector<Place>(std::size_t{1} << kBits);
};

}  // namespace polytrace::slice
