// SPDX-License-Identifier: Apache-2.0
// Any bytes that begin as a file of this format, and any as a heap dump behind a good head: the
// reader survives, accounts for every byte, and makes no more events than bytes.
#include <string_view>
#include <vector>

#include "format/hprof/layout/header.hpp"
#include "support/targets.hpp"

namespace {

using namespace std::string_view_literals;

// A file of one segment with ids of 8 bytes.
std::vector<std::uint8_t> dumped(const std::uint8_t* data, std::size_t size) {
  constexpr auto kHead = "JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0\x1c\0\0\0\0"sv;
  std::vector<std::uint8_t> bytes(kHead.begin(), kHead.end());
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<std::uint8_t>(size >> shift));
  bytes.insert(bytes.end(), data, data + size);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Others are for the targets of their formats.
  if (polytrace::format::hprof::looks_like_hprof(std::as_bytes(std::span(data, size))))
    polytrace::fuzz::require_readable(data, size);
  const auto bytes = dumped(data, size);
  polytrace::fuzz::require_readable(bytes.data(), bytes.size());
  return 0;
}
