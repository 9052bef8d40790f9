// SPDX-License-Identifier: Apache-2.0
// What the fields of a row mean. Inside the room only.
#pragma once

#include <optional>
#include <string>

#include "base/notices.hpp"
#include "history/csv/csv_header.hpp"
#include "history/csv/csv_scan.hpp"
#include "history/model/texts.hpp"

namespace polytrace::history {

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
