// SPDX-License-Identifier: Apache-2.0
// Any bytes: the reader survives, accounts for every byte, and makes no more events than bytes.
#include "format/whole.hpp"
#include "support/require.hpp"

using polytrace::fuzz::bytes_of;
using polytrace::fuzz::require;
namespace test = polytrace::format::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool resync = size % 2 == 0;
  const test::Whole whole =
      test::read_whole(bytes_of(data, size), {.resync = resync, .text = false});
  if (whole.open_error) return 0;
  require(whole.accounted() == size);
  require(whole.events <= size + 2);
  return 0;
}
