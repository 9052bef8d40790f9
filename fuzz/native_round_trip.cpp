// SPDX-License-Identifier: Apache-2.0
// Whatever was read can be written; what that gives reads without a notice, can be written again
// without loss, and then reads the same.
#include "support/targets.hpp"

using namespace polytrace::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto whole = polytrace::format::test::read_whole(bytes_of(data, size));
  if (whole.open_error) return 0;
  require_stable(whole.lines, "native", "1");
  return 0;
}
