// SPDX-License-Identifier: Apache-2.0
// Whatever was read can be written without loss, and reads the same again without a notice.
#include "support/targets.hpp"

using namespace polytrace::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto whole = polytrace::format::test::read_whole(bytes_of(data, size));
  if (whole.open_error) return 0;
  const auto& format = *polytrace::format::find_format("native");
  const auto written = polytrace::format::test::write_lines(format, "1", whole.lines);
  require(written.has_value() && written->loss.total() == 0);
  const auto again = polytrace::format::test::read_whole(written->bytes);
  require(again.notices.empty() && again.lines == whole.lines);
  return 0;
}
