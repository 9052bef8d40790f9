// SPDX-License-Identifier: Apache-2.0
// Lines and columns. Both count from 1; a column counts bytes.
#pragma once

#include <cstring>

#include "event/reader.hpp"

namespace polytrace::format::tptp {

struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  // Moves behind these bytes.
  void pass(base::Bytes bytes) {
    const std::byte* at = bytes.data();
    const std::byte* const end = at + bytes.size();
    while (const auto* newline = static_cast<const std::byte*>(
               std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) {
      ++line;
      column = 1;
      at = newline + 1;
      if (at == end) return;
    }
    column += static_cast<std::uint32_t>(end - at);
  }
  base::Place place(std::uint64_t offset) const {
    return {.offset = offset, .line = line, .column = column};
  }
};

// A chunk's first line and column travel in its number of the first frame.
inline std::uint64_t packed(LineColumn at) { return std::uint64_t{at.line} << 32 | at.column; }
inline LineColumn unpacked(std::uint64_t both) {
  return {static_cast<std::uint32_t>(both >> 32), static_cast<std::uint32_t>(both)};
}

}  // namespace polytrace::format::tptp
