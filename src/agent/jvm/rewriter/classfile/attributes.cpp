// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/classfile/attributes.hpp"

#include <algorithm>

namespace polytrace::agent::jvm::rewriter {

bool parse_code(View body, Code& code) {
  Input input(body);
  code.max_stack = input.u2();
  code.max_locals = input.u2();
  code.bytes = input.take(input.u4());
  code.handlers = input.take(std::size_t{8} * input.u2());
  code.attribute_count = input.u2();
  const std::size_t start = input.at();
  const bool whole = each_attribute(input, code.attribute_count, [](auto, View) { return true; });
  code.attributes = input.since(start);
  return whole && input.done() && !code.bytes.empty() && code.bytes.size() <= kMostCode;
}

std::vector<Line> lines_of(const Code& code, const Constants& constants) {
  std::vector<Line> lines;
  Input input(code.attributes);
  each_attribute(input, code.attribute_count, [&](std::uint16_t name, View body) {
    if (constants.utf8(name) != "LineNumberTable") return true;
    Input table(body);
    for (std::size_t left = table.u2(); left > 0 && table.left() >= 4; --left) {
      const std::uint16_t at = table.u2();
      lines.push_back({at, table.u2()});
    }
    return true;
  });
  std::ranges::stable_sort(lines, {}, &Line::at);
  return lines;
}

std::uint32_t line_at(std::span<const Line> lines, std::uint32_t at) {
  const auto behind = std::ranges::upper_bound(lines, at, {}, &Line::at);
  return behind == lines.begin() ? 0 : std::uint32_t{behind[-1].line};
}

}  // namespace polytrace::agent::jvm::rewriter
