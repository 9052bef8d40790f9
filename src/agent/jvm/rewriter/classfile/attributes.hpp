// SPDX-License-Identifier: Apache-2.0
// Attributes, and the parts of the Code attribute. Views into the class file's bytes.
#pragma once

#include "agent/jvm/rewriter/classfile/constants.hpp"

namespace polytrace::agent::jvm::rewriter {

// Calls use(name_index, body) for each of `count` attributes. False when they run past the end or
// `use` gave false.
template <class Use>
bool each_attribute(Input& input, std::size_t count, Use&& use) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t name = input.u2();
    const View body = input.take(input.u4());
    if (!input.ok() || !use(name, body)) return false;
  }
  return true;
}

struct Code {
  std::uint16_t max_stack = 0;
  std::uint16_t max_locals = 0;
  View bytes;       // 1 to 65535
  View handlers;    // the entries of the exception table, 8 bytes each
  View attributes;  // behind their count
  std::uint16_t attribute_count = 0;
};

inline constexpr std::size_t kMostCode = 65535;

bool parse_code(View body, Code& code);

// A place in the code and its source line.
struct Line {
  std::uint16_t at;
  std::uint16_t line;
};
// Of all line tables, in order of `at`. What cannot be parsed tells no lines.
std::vector<Line> lines_of(const Code& code, const Constants& constants);
// 0 when not told.
std::uint32_t line_at(std::span<const Line> lines, std::uint32_t at);

}  // namespace polytrace::agent::jvm::rewriter
