// SPDX-License-Identifier: Apache-2.0
// What a fuzz target demands of the code: the fuzzer keeps the input that breaks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polytrace::fuzz {

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

inline std::vector<std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  const auto all = std::as_bytes(std::span(data, size));
  return {all.begin(), all.end()};
}

}  // namespace polytrace::fuzz
