// SPDX-License-Identifier: Apache-2.0
// Functions over whole tables: histogram and group_by.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "base/codes.hpp"
#include "sql/functions/filter.hpp"

namespace polytrace::sql {
namespace {

constexpr std::int64_t kMostBuckets = 1'000'000;
constexpr std::size_t kMostGroups = 10'000'000;

std::uint64_t bit_of(int column) { return std::uint64_t{1} << std::min(column, 63); }

double number_of(const Value& value) {
  return value.is_integer() ? static_cast<double>(value.integer) : value.real;
}

// --- histogram ---------------------------------------------------------------------------------

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

// --- group_by ----------------------------------------------------------------------------------

constexpr std::size_t kMost = 3;

struct Summed {
  enum class How : std::uint8_t { sum, least, most } how = How::sum;
  int column = -1;
};

struct Total {
  std::int64_t whole = 0;
  double real = 0;
  bool any = false;
  bool is_real = false;

  void add(const Value& value, Summed::How how) {
    if (value.type != Type::integer && value.type != Type::real) return;
    const double number = number_of(value);
    is_real = is_real || value.type == Type::real;
    if (how == Summed::How::sum) {
      is_real = __builtin_add_overflow(whole, value.integer, &whole) || is_real;
      real += number;
    } else if (!any || (how == Summed::How::least ? number < real : number > real)) {
      whole = value.integer;
      real = number;
    }
    any = true;
  }
  Value value() const {
    if (!any) return {};
    return is_real ? Value::of(real) : Value::of(whole);
  }
};

struct Group {
  std::array<Value, kMost> keys{};
  std::array<std::string, kMost> texts{};  // of keys
  std::array<Total, kMost> totals{};
  std::uint64_t rows = 0;
};

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    words.push_back(list.substr(0, comma));
    list = comma == list.npos ? std::string_view() : list.substr(comma + 1);
  }
  return words;
}

base::result<std::vector<int>> keys_of(const TableInfo& table, const Value& list) {
  std::vector<int> keys;
  for (const std::string_view word : words_of(list.text)) {
    const auto column = column_named(table, word);
    if (!column) return tl::unexpected(column.error());
    keys.push_back(*column);
  }
  if (keys.empty() || keys.size() > kMost)
    return base::fail(base::Code::query_wrong, "one to three keys");
  return keys;
}

base::result<std::vector<Summed>> sums_of(const TableInfo& table, const Value& list) {
  std::vector<Summed> sums;
  for (std::string_view word : words_of(list.text)) {
    Summed summed;
    while (word.starts_with(' ')) word.remove_prefix(1);
    if (word.starts_with("min:")) summed.how = Summed::How::least;
    if (word.starts_with("max:")) summed.how = Summed::How::most;
    if (summed.how != Summed::How::sum) word.remove_prefix(4);
    const auto column = column_named(table, word);
    if (!column) return tl::unexpected(column.error());
    summed.column = *column;
    sums.push_back(summed);
  }
  if (sums.size() > kMost) return base::fail(base::Code::query_wrong, "three sums at most");
  return sums;
}

// Bytes that tell a key's values apart.
std::string bytes_of_key(const FilteredRows& rows, const std::vector<int>& keys) {
  std::string bytes;
  for (const int key : keys) {
    const Value value = rows.value(key);
    bytes += static_cast<char>(value.type);
    if (value.type == Type::text) bytes += fmt::format("{}:", value.text.size()).append(value.text);
    else
      bytes.append(reinterpret_cast<const char*>(&value.integer), sizeof value.integer)
          .append(reinterpret_cast<const char*>(&value.real), sizeof value.real);
  }
  return bytes;
}

base::result<std::vector<Group>> groups_of(FilteredRows& rows, const std::vector<int>& keys,
                                           const std::vector<Summed>& sums) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (;;) {
    const auto more = rows.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return groups;
    const auto [place, fresh] = places.try_emplace(bytes_of_key(rows, keys), groups.size());
    if (fresh && groups.size() == kMostGroups)
      return base::fail(base::Code::limit_exceeded, "more than ten million groups");
    if (fresh) {
      Group& made = groups.emplace_back();
      for (std::size_t i = 0; i < keys.size(); ++i) {
        made.keys[i] = rows.value(keys[i]);
        made.texts[i] = made.keys[i].text;
      }
    }
    Group& group = groups[place->second];
    ++group.rows;
    for (std::size_t i = 0; i < sums.size(); ++i)
      group.totals[i].add(rows.value(sums[i].column), sums[i].how);
  }
}

Value cell_of_group(const Group& group, int column) {
  using At = GroupByColumns;
  if (column == At::n) return Value::of(group.rows);
  if (column >= At::s1) return group.totals[static_cast<std::size_t>(column - At::s1)].value();
  const auto i = static_cast<std::size_t>(column);
  return group.keys[i].type == Type::text ? Value::of(std::string_view(group.texts[i]))
                                          : group.keys[i];
}

base::result<std::unique_ptr<Cursor>> answer_groups(const FindTable& find, const Scan& scan) {
  using At = GroupByColumns;
  const auto table = table_named(find, scan.parameter(At::of_table));
  if (!table) return tl::unexpected(table.error());
  const auto keys = keys_of((*table)->info(), scan.parameter(At::keys));
  if (!keys) return tl::unexpected(keys.error());
  const auto sums = sums_of((*table)->info(), scan.parameter(At::sums));
  if (!sums) return tl::unexpected(sums.error());
  std::uint64_t columns = 0;
  for (const int key : *keys) columns |= bit_of(key);
  for (const Summed& sum : *sums) columns |= bit_of(sum.column);
  auto rows = FilteredRows::open(**table, scan.parameter(At::filter), columns, scan.stop);
  if (!rows) return tl::unexpected(rows.error());
  auto groups = groups_of(**rows, *keys, *sums);
  if (!groups) return tl::unexpected(groups.error());
  return made<Group>(std::move(*groups), cell_of_group);
}

}  // namespace

std::unique_ptr<Table> histogram_function(FindTable find) {
  return std::make_unique<FunctionTable>(
      TableId::Histogram, 20,
      [find = std::move(find)](const Scan& scan) { return answer_histogram(find, scan); });
}

std::unique_ptr<Table> group_by_function(FindTable find) {
  return std::make_unique<FunctionTable>(
      TableId::GroupBy, 1000,
      [find = std::move(find)](const Scan& scan) { return answer_groups(find, scan); });
}

}  // namespace polytrace::sql
