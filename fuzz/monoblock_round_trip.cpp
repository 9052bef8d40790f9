// SPDX-License-Identifier: Apache-2.0
// Whatever was read can be written; what that gives reads without a notice, can be written again
// without loss, and then reads the same.
#include "format/whole.hpp"
#include "support/require.hpp"

using polytrace::fuzz::bytes_of;
using polytrace::fuzz::require;
namespace test = polytrace::format::test;

namespace {

void check(const std::vector<std::string>& lines, std::string_view version) {
  const auto& format = *polytrace::format::find_format("monoblock");
  const auto once = test::write_lines(format, version, lines);
  require(once.has_value());
  const test::Whole first = test::read_whole(once->bytes);
  require(!first.open_error && first.notices.empty());
  const auto twice = test::write_lines(format, version, first.lines);
  require(twice.has_value() && twice->loss.total() == 0);
  require(test::read_whole(twice->bytes).lines == first.lines);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const test::Whole whole = test::read_whole(bytes_of(data, size));
  if (whole.open_error) return 0;
  check(whole.lines, "review");
  return 0;
}
