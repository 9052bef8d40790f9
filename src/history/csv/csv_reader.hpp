// SPDX-License-Identifier: Apache-2.0
// Reads states as CSV, in bounded memory (docs/formats/state-history-interchange.md, "CSV"). One
// thread at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/io/source.hpp"
#include "base/notices.hpp"
#include "history/csv/csv.hpp"
#include "history/csv/csv_row.hpp"
#include "history/csv/csv_scan.hpp"
#include "history/model/texts.hpp"

namespace polytrace::history {

class CsvReader {
 public:
  // Reads the header line. Errors: row_malformed for a header of no form, those of `source`.
  static base::result<CsvReader> open(std::unique_ptr<base::Source> source,
                                      const base::Limits& limits = {},
                                      std::uint64_t ticks_per_second = 1'000'000'000);

  CsvForm form() const { return header_.form; }
  // So far: times are wall times, and ticks count from the Unix epoch.
  bool has_wall_times() const { return clock_.wall.value_or(false); }

  // The next rows, in the order of the text; none at its end. They and their texts are valid until
  // the next call. A faulty row is left out with the notice row_malformed; where quotes do not fit,
  // reading goes on at the next line. A row longer than limits.frame_bytes is a faulty one.
  base::result<std::span<const CsvRow>> next();

  // So far.
  const base::Notices& notices() const { return notices_; }

 private:
  CsvReader(std::unique_ptr<base::Source> source, const base::Limits& limits,
            std::uint64_t ticks_per_second)
      : source_(std::move(source)),
        most_(limits.frame_bytes),
        clock_{.ticks_per_second = ticks_per_second} {}

  base::result<bool> fill();
  std::span<char> rest() { return std::span(buffer_).subspan(at_, have_ - at_); }
  base::result<void> read_header();
  bool step();
  void take_row(CsvScan& scan);
  bool skip_line();
  void advance(const char* to);
  void malformed(std::uint64_t bytes, std::string detail);

  std::unique_ptr<base::Source> source_;
  std::size_t most_;
  CsvHeader header_{};
  CsvClock clock_;
  std::vector<char> buffer_{};
  std::size_t at_ = 0;
  std::size_t have_ = 0;
  std::uint64_t line_ = 1;
  bool ended_ = false;
  bool skipping_ = false;  // inside a line that is too long
  std::vector<CsvRow> rows_{};
  Texts texts_{};
  base::Notices notices_{};
};

}  // namespace polytrace::history
