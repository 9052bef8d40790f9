// SPDX-License-Identifier: Apache-2.0
// How long the parts of a heap dump are: all that cutting it needs. Pure.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "format/hprof/layout/records.hpp"

namespace polytrace::format::hprof {

struct Measured {
  enum class What : std::uint8_t { whole, incomplete, unknown_part, unknown_type };
  What what = What::whole;
  // With its tag. Of an incomplete one, at least so many bytes are needed to go on.
  std::uint64_t bytes = 0;
};

// The part that `bytes` begin with, which may go on behind them. REQUIRES: not empty.
Measured measure(base::Bytes bytes, std::size_t id_size);

// What stands behind the end of a segment, whose length may be wrong, shows by what comes next:
// whether a few records, or a few parts and then perhaps records, follow each other there. `whole`:
// nothing comes behind `bytes`, and of parts nothing else.
bool records_begin(base::Bytes bytes, bool whole);
bool parts_begin(base::Bytes bytes, std::size_t id_size, bool whole);

// Of an array, the bytes before its elements.
constexpr std::size_t array_head(Part part, std::size_t id_size) {
  return 1 + id_size + 8 + (part == Part::object_array ? id_size : 1);
}

}  // namespace polytrace::format::hprof
