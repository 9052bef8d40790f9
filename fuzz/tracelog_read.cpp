// SPDX-License-Identifier: Apache-2.0
// Any bytes: the reader survives, accounts for every byte, makes no more events than bytes, and
// gives the same however its input is cut.
#include "support/targets.hpp"

using polytrace::fuzz::bytes_of;
namespace test = polytrace::format::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const test::Whole whole = polytrace::fuzz::require_readable(data, size, {});
  if (whole.open_error) return 0;
  const std::size_t step = 1 + size % 97;
  polytrace::fuzz::require(test::read_whole(bytes_of(data, size), {.step = step}).lines ==
                           whole.lines);
  return 0;
}
