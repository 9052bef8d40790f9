// SPDX-License-Identifier: Apache-2.0
// The tables that profiles refer to, whatever message told them: texts, functions, mappings,
// locations with their lines. Read once and plain, so that what is asked of them takes as long as
// the answer is, whatever the message was. One thread at a time.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "collector/foreign/stack_sums.hpp"

namespace polytrace::collector {

class FrameTables {
 public:
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  static constexpr std::size_t kMostLines = std::size_t{1} << 23;  // of all locations

  struct Function {
    std::int64_t name = 0, other_name = 0, file = 0;  // texts
    std::uint32_t line = 0;
    void set_line(std::int64_t line);
  };
  struct Mapping {
    std::uint64_t start = 0, offset = 0;
    std::int64_t file = 0;
  };
  struct Location {
    std::uint32_t mapping = kNothing;
    std::uint64_t address = 0;
    std::size_t begin = 0, end = 0;  // of its lines: functions, innermost first
  };

  std::vector<Function> functions{};
  std::vector<Mapping> mappings{};
  std::vector<Location> locations{};
  std::vector<std::uint32_t> lines{};  // numbers of functions, or kNothing

  // The bytes live as long as this; of long ones the middle goes.
  void add_text(std::string_view text);
  std::size_t texts() const { return texts_.size(); }
  std::string_view text(std::int64_t index) const {
    const auto at = static_cast<std::uint64_t>(index);
    return at < texts_.size() ? texts_[at] : std::string_view();
  }

  // At least one frame; nothing from the room for `most` on: whether that is all.
  bool append_frames(std::uint32_t location, std::size_t most,
                     std::vector<ForeignFrame>& into) const;
  // Of the innermost line.
  std::string_view innermost_name(std::uint32_t location) const;

 private:
  std::string_view name_of(std::uint32_t function) const;
  // "libc.so.6+0x1f": what a place without a name is called.
  std::string native_name(const Location& location) const;

  std::vector<std::string_view> texts_;
  std::deque<std::string> shortened_;
};

}  // namespace polytrace::collector
