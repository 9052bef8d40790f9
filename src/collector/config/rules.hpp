// SPDX-License-Identifier: Apache-2.0
// Rules that say which windows of 10 s are worth keeping with all their events: one comparison of a
// column of the table health_10s each. Pure; thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "warehouse/rows.hpp"

namespace polytrace::collector {

// "pause_max_ns > 500ms"
struct Comparison {
  enum class Test : std::uint8_t { greater, greater_or_equal, less, less_or_equal, equal, unequal };
  std::string column{};
  Test test = Test::greater;
  std::uint64_t value = 0;  // nanoseconds, bytes, or a count, as the column has it

  bool holds(const warehouse::Health10s& row) const;
};
// Columns of nanoseconds are compared with times (500ms, 2s), those of bytes with sizes (64m),
// others with numbers. Errors: usage, with what there is.
base::result<Comparison> parse_comparison(std::string_view text);
// What can be compared, in the table's order.
const std::vector<std::string>& compared_columns();

struct Rule {
  std::string name;
  std::string when;  // as it was written
  Comparison test{};
  std::chrono::seconds around{60};  // of the stream: half before the window, half behind it
  std::uint64_t per_hour = 2;       // windows, of each tenant
};

inline constexpr std::size_t kMostRules = 64;
inline constexpr std::uint64_t kMostPerHour = 3600;
inline constexpr std::chrono::seconds kMostAround{3600};

// The [[rule]] of a configuration that is TOML. Errors: usage, with line and column.
base::result<std::vector<Rule>> parse_rules(std::string_view text);

}  // namespace polytrace::collector
