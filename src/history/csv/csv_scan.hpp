// SPDX-License-Identifier: Apache-2.0
// Cuts one row of RFC 4180 out of a text: knows quotes, separators and line ends, not what fields
// mean. Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace polytrace::history {

struct CsvField {
  char* begin = nullptr;  // behind the quote, if there is one
  char* end = nullptr;
  bool quoted = false;
  bool doubled = false;  // holds doubled quotes
};

struct CsvDialect {
  char separator = ',';  // or ';' or a tab
  bool blanks = false;   // those around a field are no part of it, unless in quotes
};

struct CsvScan {
  enum class Found : std::uint8_t {
    row,
    more,    // the text ends inside the row
    broken,  // a quote or a carriage return where none may be
  };
  static constexpr std::size_t kMostFields = 6;  // one more than any form has

  Found found = Found::more;
  char* end = nullptr;     // behind the line end of a row
  std::size_t fields = 0;  // all of them; the first kMostFields are kept
  bool quoted = false;     // some field is
  std::array<CsvField, kMostFields> field{};
};

// `last`: nothing comes behind `text`, so its end ends the row.
CsvScan scan_csv(std::span<char> text, bool last, const CsvDialect& dialect = {});

// Makes single quotes of doubled ones, in place.
void undouble(CsvField& field);

}  // namespace polytrace::history
