// SPDX-License-Identifier: Apache-2.0
// Rows of a table by up to three of its columns, counted and added up.
#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "base/codes.hpp"
#include "sql/functions/filter.hpp"
#include "sql/functions/number_groups.hpp"

namespace polytrace::sql {
namespace {

constexpr std::size_t kMostGroups = 10'000'000;
constexpr std::size_t kMost = kMostKeys;

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

Value cell_of_numbers(const NumberGroup& group, int column) {
  using At = GroupByColumns;
  if (column == At::n) return Value::of(group.rows);
  if (column >= At::s1) return group.totals[static_cast<std::size_t>(column - At::s1)];
  return group.keys[static_cast<std::size_t>(column)];
}

base::result<std::unique_ptr<Cursor>> answer_groups(const TracePointer& trace,
                                                    const FindTable& find, const Scan& scan) {
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
  const Value filter = scan.parameter(At::filter);
  if (filter.is_null()) {
    auto quick = number_groups(*trace, **table, *keys, *sums, scan.stop);
    if (!quick) return tl::unexpected(quick.error());
    if (*quick) return made<NumberGroup>(std::move(**quick), cell_of_numbers);
  }
  auto rows = FilteredRows::open(**table, filter, columns, scan.stop);
  if (!rows) return tl::unexpected(rows.error());
  auto groups = groups_of(**rows, *keys, *sums);
  if (!groups) return tl::unexpected(groups.error());
  return made<Group>(std::move(*groups), cell_of_group);
}

}  // namespace

std::unique_ptr<Table> group_by_function(const TracePointer& trace, FindTable find) {
  return std::make_unique<FunctionTable>(TableId::GroupBy, 1000,
                                         [trace, find = std::move(find)](const Scan& scan) {
                                           return answer_groups(trace, find, scan);
                                         });
}

}  // namespace polytrace::sql
