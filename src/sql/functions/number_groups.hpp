// SPDX-License-Identifier: Apache-2.0
// Groups of rows by columns of whole numbers, page by page, or, where sums of the index have them,
// without a look at any row.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "sql/model/table.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

inline constexpr std::size_t kMostKeys = 3;

struct Summed {
  enum class How : std::uint8_t { sum, least, most } how = How::sum;
  int column = -1;
};

struct NumberGroup {
  std::array<Value, kMostKeys> keys{};
  std::array<Value, kMostKeys> totals{};
  std::uint64_t rows = 0;
};
using NumberGroups = std::vector<NumberGroup>;

// Nothing: the columns have no such pages. Errors: those of the table; query_timeout when asked to
// stop; limit_exceeded of more than ten million groups.
base::result<std::optional<NumberGroups>> number_groups(const Trace& trace, const Table& table,
                                                        const std::vector<int>& keys,
                                                        const std::vector<Summed>& sums,
                                                        const std::atomic<bool>* stop);

}  // namespace polytrace::sql
