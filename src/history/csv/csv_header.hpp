// SPDX-License-Identifier: Apache-2.0
// The header line of states as CSV: which column holds what. Pure function; thread-safe.
#pragma once

#include <array>
#include <string_view>

#include "base/result.hpp"
#include "history/csv/csv.hpp"

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

}  // namespace polytrace::history
