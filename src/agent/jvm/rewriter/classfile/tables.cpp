// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/classfile/tables.hpp"

namespace polytrace::agent::jvm::rewriter {

namespace {

constexpr std::size_t kVariableSize = 10;  // of an entry

std::uint32_t outer_label(const Relocation& relocation, std::size_t old) {
  return old == 0 ? 0 : relocation.label(old);
}

}  // namespace

bool relocate_handlers(View entries, const Relocation& relocation, Output& output) {
  for (Input input(entries); input.left() > 0;) {
    const std::uint16_t start = input.u2();
    const std::uint16_t end = input.u2();
    const std::uint16_t handler = input.u2();
    const bool ends = relocation.starts(end) || end == relocation.old_size();
    if (!relocation.starts(start) || !relocation.starts(handler) || !ends || start >= end)
      return false;
    output.u2(relocation.label(start));
    output.u2(relocation.label(end));
    output.u2(relocation.label(handler));
    output.u2(input.u2());
  }
  return true;
}

bool relocate_lines(View body, const Relocation& relocation, Output& output) {
  Input input(body);
  const std::uint16_t count = input.u2();
  output.u2(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t at = input.u2();
    if (!input.ok() || at >= relocation.old_size()) return false;
    output.u2(outer_label(relocation, at));
    output.u2(input.u2());
  }
  return input.ok() && input.done();
}

bool relocate_variables(View body, const Relocation& relocation, Output& output) {
  Input input(body);
  const std::uint16_t count = input.u2();
  output.u2(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t start = input.u2();
    const std::size_t end = start + input.u2();
    if (!input.ok() || end > relocation.old_size()) return false;
    const std::uint32_t begins = outer_label(relocation, start);
    const std::uint32_t ends = outer_label(relocation, end);
    output.u2(begins);
    output.u2(ends - begins);
    output.append(input.take(kVariableSize - 4));
  }
  return input.ok() && input.done();
}

}  // namespace polytrace::agent::jvm::rewriter
