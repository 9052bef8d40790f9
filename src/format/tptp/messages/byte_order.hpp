// SPDX-License-Identifier: Apache-2.0
// Numbers in either byte order. Callers have checked the bounds.
#pragma once

#include <bit>
#include <cstring>
#include <optional>

#include "base/io/cursor.hpp"

namespace polytrace::format::tptp {

enum class ByteOrder : std::uint8_t { big, little };

inline std::optional<ByteOrder> byte_order(std::optional<std::endian> order) {
  if (!order) return {};
  return *order == std::endian::big ? ByteOrder::big : ByteOrder::little;
}

// REQUIRES: an integer of 1, 2, 4 or 8 bytes.
template <class T>
T swapped(T value) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  else if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  else if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  else return value;
}

template <class T, ByteOrder order>
T load_as(const std::byte* at) {
  const T value = base::load_le<T>(at);
  return order == ByteOrder::little ? value : swapped(value);
}

template <class T>
T load(const std::byte* at, ByteOrder order) {
  const T value = base::load_le<T>(at);
  return order == ByteOrder::little ? value : swapped(value);
}

}  // namespace polytrace::format::tptp
