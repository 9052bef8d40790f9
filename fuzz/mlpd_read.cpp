// SPDX-License-Identifier: Apache-2.0
// Any bytes: the reader survives, accounts for every byte, and makes no more events than bytes.
#include "support/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  polytrace::fuzz::require_readable(data, size);
  return 0;
}
