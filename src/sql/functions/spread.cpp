// SPDX-License-Identifier: Apache-2.0
// How the numbers of a column are spread.
#include <fmt/format.h>

#include <cmath>

#include "base/codes.hpp"
#include "sql/functions/filter.hpp"

namespace polytrace::sql {
namespace {

constexpr std::int64_t kMostBuckets = 1'000'000;

struct Bucket {
  std::int64_t number;
  double low;
  double high;
  std::uint64_t count;
};

base::result<std::vector<double>> numbers_of(const Table& table, int column, const Value& filter,
                                             const std::atomic<bool>* stop) {
  auto rows = FilteredRows::open(table, filter, bit_of(column), stop);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<double> numbers;
  for (;;) {
    const auto more = (*rows)->next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return numbers;
    if (const Value value = (*rows)->value(column);
        value.type == Type::integer || value.type == Type::real)
      numbers.push_back(number_of(value));
  }
}

// One more than there are buckets. Each in the same ratio to the one before, from 1 on, or as far
// from it.
std::vector<double> edges_of(const std::vector<double>& sorted, std::int64_t buckets) {
  const bool is_ratio = buckets < 0;
  const auto count = static_cast<double>(is_ratio ? -buckets : buckets);
  const double low = is_ratio ? std::max(sorted.front(), 1.0) : sorted.front();
  const double high = std::max(sorted.back(), low);
  std::vector<double> edges;
  for (double i = 0; i < count; ++i)
    edges.push_back(is_ratio ? low * std::pow(high / low, i / count)
                             : low + (high - low) * (i / count));
  edges.push_back(high);
  edges.front() = std::min(edges.front(), sorted.front());
  return edges;
}

std::vector<Bucket> buckets_of(std::vector<double> numbers, std::int64_t buckets) {
  std::vector<Bucket> all;
  if (numbers.empty()) return all;
  std::ranges::sort(numbers);
  const auto edges = edges_of(numbers, buckets);
  auto at = numbers.begin();
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const bool is_last = i + 2 == edges.size();
    const auto end = is_last ? numbers.end() : std::ranges::lower_bound(numbers, edges[i + 1]);
    all.push_back({static_cast<std::int64_t>(i), edges[i], edges[i + 1],
                   end > at ? static_cast<std::uint64_t>(end - at) : 0});
    at = std::max(at, end);
  }
  return all;
}

Value cell_of_bucket(const Bucket& bucket, int column) {
  using At = HistogramColumns;
  switch (column) {
    case At::bucket: return Value::of(bucket.number);
    case At::low: return Value::of(bucket.low);
    case At::high: return Value::of(bucket.high);
    default: return Value::of(bucket.count);
  }
}

base::result<std::unique_ptr<Cursor>> answer_histogram(const FindTable& find, const Scan& scan) {
  using At = HistogramColumns;
  const auto table = table_named(find, scan.parameter(At::of_table));
  if (!table) return tl::unexpected(table.error());
  const auto column = column_named((*table)->info(), scan.parameter(At::of_column).text);
  if (!column) return tl::unexpected(column.error());
  const Value told = scan.parameter(At::buckets);
  const std::int64_t buckets = told.is_null() ? 20 : told.integer;
  if (buckets == 0 || buckets > kMostBuckets || buckets < -kMostBuckets)
    return base::fail(base::Code::query_wrong, "buckets are 1 to 1000000, or as many below 0");
  auto numbers = numbers_of(**table, *column, scan.parameter(At::filter), scan.stop);
  if (!numbers) return tl::unexpected(numbers.error());
  return made<Bucket>(buckets_of(std::move(*numbers), buckets), cell_of_bucket);
}

}  // namespace

std::unique_ptr<Table> histogram_function(FindTable find) {
  return std::make_unique<FunctionTable>(
      TableId::Histogram, 20,
      [find = std::move(find)](const Scan& scan) { return answer_histogram(find, scan); });
}

}  // namespace polytrace::sql
