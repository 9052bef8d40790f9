// SPDX-License-Identifier: Apache-2.0
// Times as the rows of a table spell them (docs/formats/state-history-interchange.md, "CSV"): ticks
// ("1500"), seconds with a decimal point ("1.5") or wall time (RFC 3339). Pure; thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "history/model/value.hpp"

namespace polytrace::history {

struct CsvTime {
  Tick tick = 0;      // of a wall time, since the Unix epoch
  bool wall = false;  // RFC 3339
};

// Nothing for any other text, and for a time that is finer than a tick or beyond 64 bits.
// REQUIRES: a power of ten up to 10^9.
std::optional<CsvTime> parse_csv_time(std::string_view text, std::uint64_t ticks_per_second);

}  // namespace polytrace::history
