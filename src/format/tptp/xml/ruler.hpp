// SPDX-License-Identifier: Apache-2.0
// Where decoded text was in the input: offsets and sizes that are told are those of the file. Lines
// and columns count from 1; a column counts bytes.
#pragma once

#include <memory>
#include <string>

#include "base/io/source.hpp"
#include "event/reader.hpp"

namespace polytrace::format::tptp {

// Stands in decoded text for bytes that are no character: UTF-8, but never part of an XML document.
inline constexpr std::string_view kNoCharacter = "\xef\xbf\xbf";

// The number of bytes by which reading goes on behind some that are no character.
std::size_t unit_of(std::string_view encoding);

// Of one text after the other. One thread at a time.
class Ruler {
 public:
  // The encoding that was converted; empty: text is as it stood in the input.
  explicit Ruler(const std::string& converted = {});

  bool converts() const { return converter_ != nullptr; }
  // Begins another text, or the same one after it changed.
  void restart() { now_ = settled_ = {}; }
  // No place before the last one is asked for again.
  void settle() { settled_ = now_; }
  // Bytes of the input before text[at]. Found fast from the last place on, else from the one that
  // was settled.
  std::size_t before(base::Bytes text, std::size_t at) {
    return converts() ? measured(text, at) : at;
  }

 private:
  struct Close {
    void operator()(void* converter) const;
  };

  std::size_t measured(base::Bytes text, std::size_t at);
  std::size_t length(base::Bytes text);

  std::unique_ptr<void, Close> converter_;  // back to the input's encoding
  std::size_t unit_ = 1;
  struct Measured {
    std::size_t at = 0;  // in the text
    std::size_t bytes = 0;
  };
  Measured now_;
  Measured settled_;
};

struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  // Moves behind these bytes.
  void pass(base::Bytes bytes);
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
