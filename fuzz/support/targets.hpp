// SPDX-License-Identifier: Apache-2.0
// What the targets of all formats demand alike.
#pragma once

#include "format/tptp/xml/encoding.hpp"
#include "format/whole.hpp"
#include "support/require.hpp"

namespace polytrace::fuzz {

// XML is accounted for as it is unpacked. None for what is converted: a character that was cut off
// counts as a whole one, and shifts of stateful encodings as they are written today.
inline std::optional<std::uint64_t> text_size(std::vector<std::byte> bytes) {
  auto text = format::tptp::decode_text(base::memory_source(std::move(bytes)));
  if (text && !text->converted.empty()) return {};
  std::vector<std::byte> piece(1 << 16);
  std::uint64_t size = 0;
  for (bool more = text.has_value(); more;) {
    const auto got = text->source->read(piece);
    more = got && *got != 0;
    if (more) size += *got;
  }
  return size;
}

// Any bytes: the reader survives, accounts for every byte, and makes no more events than bytes.
inline format::test::Whole require_readable(const std::uint8_t* data, std::size_t size,
                                            const format::test::ReadHow& how) {
  auto whole = format::test::read_whole(bytes_of(data, size), how);
  if (whole.open_error) return whole;
  const bool xml = whole.format == "trcxml";
  const std::optional<std::uint64_t> expected = xml ? text_size(bytes_of(data, size)) : size;
  require(!expected || whole.accounted() == *expected);
  require(whole.events <= size + 2);
  return whole;
}
inline void require_readable(const std::uint8_t* data, std::size_t size) {
  require_readable(data, size, {.resync = size % 2 == 0, .text = false});
}

// What a format may do with events that come from anywhere.
struct Leave {
  bool warn = false;   // about what is odd but not missing
  bool empty = false;  // a stream without a header, when nothing can be held
};

// What was written reads without a notice, can be written again without loss, and then reads the
// same.
inline void require_stable(const std::vector<std::string>& lines, std::string_view name,
                           std::string_view version, const Leave& leave = {}) {
  const auto& format = *format::find_format(name);
  const auto once = format::test::write_lines(format, version, lines);
  require(once.has_value());
  if (leave.empty && once->bytes.empty()) return;
  const auto first = format::test::read_whole(once->bytes);
  require(!first.open_error && first.notices.exit_code() == 0 && first.notices.bytes_lost() == 0);
  require(leave.warn || first.notices.empty());
  const auto twice = format::test::write_lines(format, version, first.lines);
  require(twice.has_value() && twice->loss.total() == 0);
  require(format::test::read_whole(twice->bytes).lines == first.lines);
}

}  // namespace polytrace::fuzz
