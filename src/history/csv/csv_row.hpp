// SPDX-License-Identifier: Apache-2.0
// What the header line of states as CSV says, which column holds what, and what the fields of a row
// mean. Inside the room only.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/notices.hpp"
#include "base/result.hpp"
#include "history/csv/csv.hpp"
#include "history/csv/csv_scan.hpp"
#include "history/model/texts.hpp"

namespace polytrace::history {

enum class CsvColumn : std::uint8_t { time, path, key, start, end, type, value };

struct CsvHeader {
  static constexpr std::size_t kColumns = 7;
  static constexpr std::size_t kNone = ~std::size_t{0};

  CsvForm form = CsvForm::changes;
  char separator = ',';
  // Blanks stand around the header's names: around the fields of rows they do not count either.
  bool blanks = false;
  std::size_t fields = 0;
  std::array<std::size_t, kColumns> places{};  // of each CsvColumn; kNone for one that is left out

  std::size_t at(CsvColumn column) const { return places[static_cast<std::size_t>(column)]; }
  bool has(CsvColumn column) const { return at(column) != kNone; }
};

// Errors: row_malformed.
base::result<CsvHeader> parse_csv_header(std::string_view line);

// How the times of all rows are to be read.
struct CsvClock {
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::optional<bool> wall{};  // whether the first sound row has wall times: so do all
};

// Texts of `row` are views of the fields, whose memory it may change, or kept in `texts`.
// Nothing when it is a row; else what is wrong with it. Notices: text_ill_formed.
std::string interpret(CsvScan& scan, const CsvHeader& header, CsvClock& clock, CsvRow& row,
                      Texts& texts, base::Notices& notices);

}  // namespace polytrace::history
