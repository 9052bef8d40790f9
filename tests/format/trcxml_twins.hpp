// SPDX-License-Identifier: Apache-2.0
// The same XML read twice: plain elements by themselves, and all of it by the parser.
#pragma once

#include <fmt/format.h>

#include "base/codes.hpp"
#include "format/trcxml_messages.hpp"

namespace polytrace::format::test {

inline std::string to_text(const base::Notices& notices) {
  std::string text;
  for (const base::Notice& notice : notices.sorted()) {
    text +=
        fmt::format("{} x {}, {} bytes", static_cast<int>(notice.code), notice.count, notice.bytes);
    const auto add = [&](const base::Place& place, std::string_view detail) {
      text += fmt::format("; {} {}:{} {}", place.offset, place.line, place.column, detail);
    };
    add(notice.first, notice.detail);
    for (const base::Occurrence& other : notice.others) add(other.place, other.detail);
    text += '\n';
  }
  return text;
}

// All that reading gave.
inline std::string reading_of(const std::vector<std::byte>& bytes, bool plain) {
  const Messages messages =
      messages_of(base::memory_source(bytes), {}, {.carry = true, .converted = {}, .plain = plain});
  std::string text = messages.document;
  for (const std::string& line : messages.lines) text += line + '\n';
  for (const std::string& loss : messages.losses) text += loss + '\n';
  return text + to_text(messages.notices);
}

}  // namespace polytrace::format::test
