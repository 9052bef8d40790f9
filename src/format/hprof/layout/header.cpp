// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/layout/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/codes.hpp"
#include "format/hprof/layout/big_endian.hpp"

namespace polytrace::format::hprof {
namespace {

constexpr std::array<std::string_view, 3> kVersions{"1.0.1", "1.0.2", "1.0.3"};

std::string_view text_of(base::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool looks_like_hprof(base::Bytes head) { return text_of(head).starts_with(kMagic); }

base::result<Header> read_header(base::Bytes head) {
  const std::string_view text = text_of(head).substr(kMagic.size());
  const std::size_t end = text.find('\0');
  const auto version = std::ranges::find(kVersions, text.substr(0, end));
  if (end == text.npos && text.size() <= kVersions[0].size())
    return base::fail(base::Code::header_truncated, {}, {.offset = head.size()});
  if (end == text.npos || version == kVersions.end())
    return base::fail(base::Code::version_unsupported,
                      fmt::format("version \"{}\"", text.substr(0, std::min<std::size_t>(end, 8))),
                      {.offset = kMagic.size()});
  if (head.size() < kHeaderBytes)
    return base::fail(base::Code::header_truncated, {}, {.offset = head.size()});
  const std::byte* const numbers = head.data() + kMagic.size() + end + 1;
  const auto id_size = load_big<std::uint32_t>(numbers);
  if (id_size != 4 && id_size != 8)
    return base::fail(base::Code::header_invalid, fmt::format("ids of {} bytes", id_size),
                      {.offset = kMagic.size() + end + 1});
  constexpr std::uint64_t kNanoseconds = 1'000'000;
  constexpr auto kMost = std::numeric_limits<base::Time>::max() / kNanoseconds;
  const auto milliseconds = std::min<std::uint64_t>(load_big<std::uint64_t>(numbers + 4), kMost);
  return Header{*version, id_size, static_cast<base::Time>(milliseconds * kNanoseconds),
                kHeaderBytes};
}

}  // namespace polytrace::format::hprof
