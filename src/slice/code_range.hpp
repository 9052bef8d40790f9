// SPDX-License-Identifier: Apache-2.0
// Where code can lie. Of a method whose code is gone, recorders may tell what they find in its
// memory: addresses in the first page, sizes of gigabytes. Such a place says nothing.
#pragma once

#include "base/types.hpp"

namespace polytrace::slice {

constexpr bool can_be_code(base::Id address, std::uint64_t size) {
  constexpr base::Id kFirstPage = 4096;
  constexpr std::uint64_t kMost = std::uint64_t{8} << 20;  // no runtime compiles a larger method
  return address >= kFirstPage && size <= kMost && address + size >= address;
}

}  // namespace polytrace::slice
