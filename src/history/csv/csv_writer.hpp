// SPDX-License-Identifier: Apache-2.0
// Writes states as CSV (docs/formats/state-history-interchange.md, "CSV"): the exact inverse of
// CsvReader, but for the bits of a not-a-number. One thread at a time.
#pragma once

#include <string>

#include "base/io/sink.hpp"
#include "history/csv/csv.hpp"

namespace polytrace::history {

class CsvWriter {
 public:
  // The header comes with the first row, or at the end. `sink` must outlive the writer.
  CsvWriter(base::Sink& sink, CsvForm form);

  // Of the row, what the form has; its line counts for nothing. Text is written as it is: what is
  // not UTF-8 will be repaired by who reads it.
  base::result<void> add(const CsvRow& row);
  // What is still held goes to the sink. The sink is not committed.
  base::result<void> finish();

 private:
  void append_text(std::string_view text);
  void append_value(const Value& value);

  base::Sink& sink_;
  CsvForm form_;
  std::string held_;
};

}  // namespace polytrace::history
