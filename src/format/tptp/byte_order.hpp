// SPDX-License-Identifier: Apache-2.0
// Numbers in either byte order. Callers have checked the bounds.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/cursor.hpp"

namespace polytrace::format::tptp {

enum class ByteOrder : std::uint8_t { big, little };

template <class T>
T swapped(T value) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof value);
  std::reverse(std::begin(bytes), std::end(bytes));
  std::memcpy(&value, bytes, sizeof value);
  return value;
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
