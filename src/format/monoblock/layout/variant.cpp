// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/layout/variant.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "format/monoblock/layout/number.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Bytes;
using base::Code;

constexpr std::string_view kRuntime{"mono\0", 5};
constexpr std::size_t kShort = 6;
constexpr std::size_t kLong = 10;

std::string_view text_at(Bytes head, std::size_t at, std::size_t size) {
  if (head.size() < at + size) return {};
  return {reinterpret_cast<const char*>(head.data()) + at, size};
}

// A number, then the runtime's name.
bool intro_at(Bytes head, std::size_t at) {
  if (head.size() < at) return false;
  base::Cursor in(head.subspan(at), at);
  number(in);
  return in.ok() && text_at(head, in.offset(), kRuntime.size()) == kRuntime;
}

bool is_long(Bytes head) {
  return text_at(head, kShort, 4) == std::string_view("\0\0\0\0", 4) && intro_at(head, kLong);
}

// A game engine's fork wrote numbers of fixed size.
bool is_fork(Bytes head) { return text_at(head, kLong, 8) == std::string_view("\1\0\0\0mono", 8); }

bool begins_as_intro(Bytes head) { return text_at(head, 0, 2) == std::string_view("\1\0", 2); }

base::result<std::uint64_t> read_version(base::Cursor& in) {
  const base::Place place{.offset = in.offset()};
  const std::uint64_t version = number(in);
  if (version == 1) return version;
  return base::fail(Code::version_unsupported, fmt::format("version {}, not 1", version), place);
}

}  // namespace

bool looks_like_monoblock(Bytes head) {
  return begins_as_intro(head) && (is_long(head) || intro_at(head, kShort) || is_fork(head));
}

base::result<FileHead> read_head(Bytes head) {
  if (!looks_like_monoblock(head)) return base::fail(Code::not_recognised);
  if (is_fork(head) && !is_long(head))
    return base::fail(Code::version_unsupported, "a fork that writes numbers of fixed size",
                      {.offset = kLong});
  FileHead file;
  if (is_long(head)) file.variant = Variant::shipped10;
  base::Cursor in(head.subspan(file.header_bytes()), file.header_bytes());
  if (auto version = read_version(in); !version) return base::Unexpected(version.error());
  in.zero_terminated();
  number(in);  // flags
  file.counter = number(in);
  file.time = number(in);
  if (!in.ok()) {
    const bool cut = head.size() < kHeadRoom && in.fault_code() == Code::field_past_end;
    return base::fail(cut ? Code::header_truncated : Code::header_invalid, "INTRO block",
                      {.offset = in.fault_offset()});
  }
  if (file.time > kLastMicrosecond)
    return base::fail(Code::header_invalid, fmt::format("a start time of {} us", file.time),
                      {.offset = in.offset()});
  const auto size = base::load_le<std::uint32_t>(head.data() + 2);
  const std::uint64_t fields = in.offset() - file.header_bytes();
  if (file.variant == Variant::review && size == fields) file.variant = Variant::shipped6;
  const bool fits = file.variant == Variant::shipped10 ? size >= fields
                    : file.shipped()                   ? size == fields
                                                       : size == fields + kShort;
  if (!fits)
    return base::fail(Code::header_invalid, fmt::format("an INTRO block of size {}", size),
                      {.offset = 2});
  return file;
}

BlockCode block_code(Bytes block) {
  return static_cast<BlockCode>(base::load_le<std::uint16_t>(block.data()));
}

std::size_t block_bytes(const FileHead& file, Bytes block, const base::Limits& limits) {
  std::uint64_t size = base::load_le<std::uint32_t>(block.data() + 2);
  if (file.shipped()) size += file.header_bytes();
  if (size < file.header_bytes() || size > limits.message_bytes) return 0;
  return static_cast<std::size_t>(size);
}

std::uint64_t ticks_per_second(const FileHead& file, std::uint64_t counter, std::uint64_t time) {
  constexpr std::uint64_t kMicroseconds = 1'000'000;
  if (counter <= file.counter || time <= file.time) return 0;
  __extension__ using Wide = unsigned __int128;
  const Wide ticks = Wide{counter - file.counter} * kMicroseconds;
  const Wide rate = ticks / (time - file.time);
  return rate > UINT64_MAX ? 0 : static_cast<std::uint64_t>(rate);
}

}  // namespace polytrace::format::monoblock
