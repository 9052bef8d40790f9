// SPDX-License-Identifier: Apache-2.0
// What names things in a store: hashes of what they are, so that who meets one anywhere makes the
// same id, and sending twice changes nothing. `seed` is the tenant's secret; 0 where there is none.
// Ids of 64 bits are never 0, which is "none".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "warehouse/column_types.hpp"

namespace polytrace::warehouse {

// What a row of `frames` names. The numbers are the store's.
enum class FrameKind : std::uint8_t {
  method = 1,
  type = 2,   // allocated, locked or thrown: the subject of a profile row
  other = 3,  // no method: "(... more)" and the like
};

// A place of a program. Line 0: not told.
std::uint64_t frame_id(FrameKind kind, std::string_view name, std::string_view file,
                       std::uint32_t line, std::uint64_t seed);
// Of the ids of its frames, innermost first.
Id128 stack_id(std::span<const std::uint64_t> frames, std::uint64_t seed);
// By which a trace, or other bytes, are known again: XXH3-128 of all of them.
Id128 digest_of(base::Bytes bytes);
std::uint64_t service_id(std::string_view name, std::uint64_t seed);

// What tells one process from another.
struct Labels {
  std::string service, version, host, instance, runtime, agent;
  std::vector<std::pair<std::string, std::string>> free;  // name and value
};
// Of all labels; the order of free ones does not matter.
std::uint64_t series_id(const Labels& labels, std::uint64_t seed);
// Of all but host and instance.
std::uint64_t group_id(const Labels& labels, std::uint64_t seed);

}  // namespace polytrace::warehouse
