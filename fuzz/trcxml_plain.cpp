// SPDX-License-Identifier: Apache-2.0
// Any bytes as XML: what is read without the parser is what the parser would read.
#include "format/trcxml_twins.hpp"
#include "support/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using polytrace::format::test::reading_of;
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::vector<std::byte> input(bytes.begin(), bytes.end());
  polytrace::fuzz::require(reading_of(input, true) == reading_of(input, false));
  return 0;
}
