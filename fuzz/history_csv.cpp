// SPDX-License-Identifier: Apache-2.0
// Any text: the rows that are read are written so that they read the same, without a notice.
#include <limits>

#include "history/csv/csv_reader.hpp"
#include "history/csv/csv_writer.hpp"
#include "support/require.hpp"

using polytrace::fuzz::bytes_of;
using polytrace::fuzz::require;
namespace base = polytrace::base;
namespace history = polytrace::history;

namespace {

// All rows as they are written; nothing when the text has no header.
std::vector<std::byte> rewritten(std::vector<std::byte> bytes, bool sound) {
  auto reader = history::CsvReader::open(base::memory_source(std::move(bytes)));
  std::vector<std::byte> out;
  require(reader.has_value() || !sound);
  if (!reader) return out;
  const auto sink = base::memory_sink(out);
  history::CsvWriter writer(*sink, reader->form());
  for (auto rows = reader->next(); rows && !rows->empty(); rows = reader->next()) {
    for (const history::CsvRow& row : *rows) {
      require(row.start <= row.end && row.line > 1);
      require(writer.add(row).has_value());
    }
  }
  require(writer.finish().has_value());
  require(!sound || reader->notices().empty());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto once = rewritten(bytes_of(data, size), false);
  if (!once.empty()) require(rewritten(once, true) == once);
  return 0;
}
