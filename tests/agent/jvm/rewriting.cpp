// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriting.hpp"

#include <cstdio>

namespace polytrace::agent::jvm::test {

namespace {

// What pushes an int, as a number; the bytes it takes.
std::pair<std::string, std::size_t> pushed(const Bytes& code, std::size_t at,
                                           const ClassReader& file) {
  const auto byte = [&](std::size_t i) { return at + i < code.size() ? code[at + i] : 0U; };
  if (byte(0) >= 0x03 && byte(0) <= 0x08) return {std::to_string(byte(0) - 3), 1};
  if (byte(0) == 0x10) return {std::to_string(byte(1)), 2};
  if (byte(0) == 0x11) return {std::to_string(byte(1) << 8 | byte(2)), 3};
  if (byte(0) == 0x13) return {file.constant(byte(1) << 8 | byte(2)), 3};
  return {"", 0};
}

// The probe called at `at`; "" when there is none.
std::string probe_at(const Bytes& code, std::size_t at, const ClassReader& file) {
  if (at + 2 >= code.size() || code[at] != 0xb8) return "";
  const std::string name =
      file.constant(static_cast<std::size_t>(code[at + 1] << 8 | code[at + 2]));
  const std::string prefix = std::string(rewriter::kProbeClass) + ".";
  if (!name.starts_with(prefix)) return "";
  const std::size_t end = name.find('(');
  const std::string expected = name.starts_with(prefix + "array")  ? "(II)V"
                               : name.starts_with(prefix + "grid") ? "(Ljava/lang/Object;I)V"
                                                                   : "(I)V";
  EXPECT_EQ(name.substr(end), expected);
  return name.substr(prefix.size(), end - prefix.size());
}

}  // namespace

std::string shown(const Bytes& code, const ClassReader& file) {
  std::string text;
  for (std::size_t at = 0; at < code.size();) {
    const auto [value, size] = pushed(code, at, file);
    const std::string probe = size == 0 ? "" : probe_at(code, at + size, file);
    if (!text.empty()) text += ' ';
    if (!probe.empty()) {
      text += probe;
      text += "(" + value + ")";
      at += size + 3;
      continue;
    }
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", code[at++]);
    text += hex;
  }
  return text;
}

Rewritten rewritten(ClassMaker& maker, const MadeMethod& method, EveryMethod judge) {
  Rewritten result{maker.make({method}), std::move(judge), {}};
  result.outcome = rewriter::rewrite(result.original, result.judge);
  return result;
}

MadeMethod run(Bytes code, std::uint16_t max_stack) {
  return {.name = "run",
          .descriptor = "()V",
          .max_stack = max_stack,
          .code = std::move(code),
          .handlers = {},
          .attributes = {}};
}

}  // namespace polytrace::agent::jvm::test
