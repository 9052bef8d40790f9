// SPDX-License-Identifier: Apache-2.0
#include "store/read/cells/series_layout.hpp"

#include <array>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"

namespace polytrace::store {

void append_series(const std::vector<SeriesEntry>& entries, std::string& payload) {
  std::array<std::vector<std::uint64_t>, 3> columns;
  std::uint64_t before = 0;
  for (const SeriesEntry& entry : entries) {
    const auto bucket = static_cast<std::uint64_t>(entry.bucket);
    columns[0].push_back(base::zigzag(static_cast<std::int64_t>(bucket - before)));
    columns[1].push_back(entry.in_calls);
    columns[2].push_back(entry.calls);
    before = bucket;
  }
  for (const auto& column : columns) base::append_svb(column, payload);
}

base::result<void> read_series(base::Bytes payload, std::vector<SeriesEntry>& into) {
  std::array<std::vector<std::uint64_t>, 3> columns;
  for (auto& column : columns)
    if (auto read = base::read_svb(payload, column, kMostSeries); !read) return read;
  if (!payload.empty()) return base::fail(base::Code::trailing_bytes);
  if (columns[1].size() != columns[0].size() || columns[2].size() != columns[0].size())
    return base::fail(base::Code::value_unexpected, "lengths of columns of a series");
  std::uint64_t bucket = 0;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    bucket += static_cast<std::uint64_t>(base::unzigzag(columns[0][i]));
    into.push_back({static_cast<std::int64_t>(bucket), columns[1][i], columns[2][i]});
  }
  return {};
}

}  // namespace polytrace::store
