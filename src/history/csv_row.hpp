// SPDX-License-Identifier: Apache-2.0
// What the fields of a row mean. Inside the room only.
#pragma once

#include "base/notices.hpp"
#include "history/csv.hpp"
#include "history/csv_scan.hpp"
#include "history/texts.hpp"

namespace polytrace::history {

// Texts of `row` are views of the fields, whose memory it may change, or kept in `texts`.
// Nothing when it is a row; else what is wrong with it. Notices: text_ill_formed.
std::string interpret(CsvScan& scan, CsvForm form, CsvRow& row, Texts& texts,
                      base::Notices& notices);

}  // namespace polytrace::history
