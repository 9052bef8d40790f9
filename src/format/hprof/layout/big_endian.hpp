// SPDX-License-Identifier: Apache-2.0
// Numbers as this format has them: big endian, ids of 4 or 8 bytes.
#pragma once

#include <iterator>
#include <string_view>

#include "base/io/cursor.hpp"

namespace polytrace::format::hprof {

inline std::uint16_t big(std::uint16_t value) { return __builtin_bswap16(value); }
inline std::uint32_t big(std::uint32_t value) { return __builtin_bswap32(value); }
inline std::uint64_t big(std::uint64_t value) { return __builtin_bswap64(value); }

// REQUIRES: as many bytes as T has.
template <class T>
T load_big(const std::byte* at) {
  return big(base::load_le<T>(at));
}
// REQUIRES: `size` bytes, 4 or 8.
inline base::Id load_id(const std::byte* at, std::size_t size) {
  return size == 8 ? load_big<std::uint64_t>(at) : load_big<std::uint32_t>(at);
}

template <class T>
T take(base::Cursor& cursor) {
  return big(cursor.fixed<T>());
}
inline base::Id take_id(base::Cursor& cursor, std::size_t size) {
  return size == 8 ? take<std::uint64_t>(cursor) : take<std::uint32_t>(cursor);
}

// Bytes of a value by its type, 0 for an unknown type.
inline std::size_t value_bytes(std::uint8_t type, std::size_t id_size) {
  switch (type) {
    case 2: return id_size;  // a reference
    case 4:
    case 8: return 1;  // boolean, byte
    case 5:
    case 9: return 2;  // char, short
    case 6:
    case 10: return 4;  // float, int
    case 7:
    case 11: return 8;  // double, long
    default: return 0;
  }
}
inline constexpr std::uint8_t kReference = 2;

// "long[]" by the type of its elements; empty for what is no value.
constexpr std::string_view value_array_name(std::uint8_t type) {
  constexpr std::string_view kNames[] = {"",          "",        "",        "",
                                         "boolean[]", "char[]",  "float[]", "double[]",
                                         "byte[]",    "short[]", "int[]",   "long[]"};
  return type < std::size(kNames) ? kNames[type] : std::string_view();
}

}  // namespace polytrace::format::hprof
