// SPDX-License-Identifier: Apache-2.0
// The types of a store's columns, by ClickHouse's names, as C++ holds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace polytrace::warehouse {

// A 128-bit id as its 16 bytes stand in the store.
using Id128 = std::array<std::byte, 16>;

using UInt8 = std::uint8_t;
using UInt16 = std::uint16_t;
using UInt32 = std::uint32_t;
using UInt64 = std::uint64_t;
using Int32 = std::int32_t;
using Int64 = std::int64_t;
using DateTime = std::uint32_t;  // seconds since 1970, UTC
using Date = std::uint16_t;      // days since 1970
using String = std::string;      // any bytes
using FixedString16 = Id128;
template <class T>
using Array = std::vector<T>;

}  // namespace polytrace::warehouse
