// SPDX-License-Identifier: Apache-2.0
// Any bytes as profiles of other tools, of each kind: rows whose sums are no more than what 64 bits
// hold, or an error that says something; the same bytes make the same rows.
#include "collector/foreign/foreign.hpp"
#include "support/require.hpp"

using namespace polytrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  collector::ForeignOptions options;
  options.otherwise = base::Time{1'795'651'200} * 1'000'000'000;
  for (const collector::ForeignName& name : collector::foreign_names()) {
    const auto made = collector::read_foreign(bytes, name.kind, options);
    if (!made) {
      fuzz::require(!base::to_text(made.error()).empty());
      continue;
    }
    const auto again = collector::read_foreign(bytes, name.kind, options);
    fuzz::require(again && again->series.size() == made->series.size());
    for (std::size_t i = 0; i < made->series.size(); ++i)
      fuzz::require(made->series[i].rows.tables == again->series[i].rows.tables);
  }
  return 0;
}
