// SPDX-License-Identifier: Apache-2.0
// An array for hot loops that is copied with what it is a part of: blocks and segments that are
// still open are shown as they are now.
#pragma once

#include "base/raw_array.hpp"

namespace polytrace::store {

template <class T>
class NumberArray : public base::RawArray<T> {
 public:
  NumberArray() = default;
  NumberArray(const NumberArray& other) { this->append({other.data(), other.size()}); }
  NumberArray(NumberArray&&) noexcept = default;
  NumberArray& operator=(NumberArray&&) noexcept = default;
  ~NumberArray() = default;
};

}  // namespace polytrace::store
