// SPDX-License-Identifier: Apache-2.0
// Any bytes: the reader of history trees survives, gives sound intervals, and fewer than bytes.
#include "history/trace_compass/ht_reader.hpp"
#include "support/require.hpp"

using polytrace::fuzz::bytes_of;
using polytrace::fuzz::require;
namespace base = polytrace::base;
namespace history = polytrace::history;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::Notices notices;
  std::size_t count = 0;
  const auto source = base::memory_source(bytes_of(data, size), size % 2 == 0 ? 0 : 4099);
  const auto file = history::read_ht(
      *source,
      [&](std::span<const history::Interval> intervals) {
        count += intervals.size();
        for (const auto& one : intervals) require(one.start <= one.end && one.key > 0);
        return base::result<void>();
      },
      notices);
  require(count <= size);
  if (!file) return 0;
  require(file->intervals == count && file->tree.size() <= size);
  return 0;
}
