// SPDX-License-Identifier: Apache-2.0
// The order of events, in parts of up to kOrderedEvents:
//   SVB columns: stream (of each that occurs), events or rows of it before the part,
//                place of the stream (of each run), events of the run less one
#pragma once

#include <cstdint>

namespace polytrace::store {

inline constexpr std::uint32_t kOrderedEvents = 65536;

// The calls of a thread, or the rows of a kind.
using Stream = std::uint32_t;
constexpr Stream calls_of(std::uint32_t thread) { return 2 * thread; }
constexpr Stream rows_of(std::uint32_t kind_number) { return 2 * kind_number + 1; }
constexpr bool is_rows(Stream stream) { return stream % 2 != 0; }
constexpr std::uint32_t thread_of(Stream stream) { return stream / 2; }
constexpr std::uint32_t kind_number_of(Stream stream) { return stream / 2; }

}  // namespace polytrace::store
