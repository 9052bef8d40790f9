// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/table_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/codes.hpp"
#include "sql/duckdb/handles.hpp"
#include "sql/duckdb/vectors.hpp"

namespace polytrace::sql {
namespace {

using Use = Column::Use;
using Test = Condition::Test;

// What a call of it asks for.
struct BoundTable {
  DuckTable& of;
  std::deque<std::string> texts{};  // of conditions
  std::vector<Condition> conditions{};
};

// The rows of one call, and which columns are wanted of them.
struct ReadTable {
  DuckTable& of;
  Scan scan;
  std::vector<std::uint64_t> columns{};
  std::unique_ptr<Cursor> cursor{};
  // Instead of it, where all columns have such pages and nothing is asked of them.
  std::unique_ptr<NumberPages> pages{};
  std::uint64_t page_rows = 0, page_done = 0;
  bool only_counts = false;  // no column is asked for that the table has
};

template <class Kept>
void delete_kept(void* kept) {
  delete static_cast<Kept*>(kept);
}

// Named parameters of a column: of a range its two ends, of another what it is equal to.
struct Named {
  std::string name;
  int column;
  Test test;
};
std::vector<Named> named_of(const TableInfo& info) {
  std::vector<Named> all;
  for (std::size_t i = 0; i < info.columns.size() && !info.is_function; ++i) {
    const Column& column = info.columns[i];
    const int number = static_cast<int>(i);
    if (column.use != Use::pushed) continue;
    const bool is_range = column.name == "ts" || column.name == "id";
    if (is_range) {
      all.push_back({fmt::format("{}_from", column.name), number, Test::greater_equal});
      all.push_back({fmt::format("{}_to", column.name), number, Test::less});
    } else if (column.type == Type::integer || column.type == Type::text) {
      all.push_back({std::string(column.name), number, Test::equal});
    }
  }
  return all;
}

DuckType duck_type_of(const Column& column) {
  if (column.type == Type::integer) return DuckType::bigint;
  return column.type == Type::real ? DuckType::double_ : DuckType::varchar;
}

// Threads are a number or a list in a text.
DuckType parameter_type_of(const Column& column) {
  return column.type == Type::text ? DuckType::any : duck_type_of(column);
}

void take_condition(const DuckApi& api, BoundTable& bound, int column, Test test, DuckValue given) {
  const OwnedValue value(api, given);
  if (given == nullptr) return;
  Condition condition{.column = column, .test = test};
  condition.value = read_duck_value(api, given, bound.texts);
  // A table's own parameter that is NULL asks for nothing.
  const bool is_table = !bound.of.table.info().is_function;
  if (!is_table || !condition.value.is_null()) bound.conditions.push_back(std::move(condition));
}

void bind_columns(const DuckApi& api, DuckBind info, const TableInfo& table) {
  for (const Column& column : table.columns) {
    if (column.use == Use::parameter) continue;
    const OwnedType type = duck_type(api, duck_type_of(column));
    api.bind_add_result_column(info, std::string(column.name).c_str(), type.get());
  }
}

void bind_table(DuckBind info) {
  const DuckApi& api_of = loaded_duck();
  guarded_duck(
      [&] {
        auto& of = *static_cast<DuckTable*>(api_of.bind_get_extra_info(info));
        const DuckApi& api = of.shared.api;
        const TableInfo& table = of.table.info();
        auto bound = std::make_unique<BoundTable>(BoundTable{of});
        std::uint64_t place = 0;
        for (std::size_t i = 0; i < table.columns.size() && table.is_function; ++i)
          if (table.columns[i].use == Use::parameter)
            take_condition(api, *bound, static_cast<int>(i), Test::equal,
                           api.bind_get_parameter(info, place++));
        for (const Named& named : named_of(table))
          take_condition(api, *bound, named.column, named.test,
                         api.bind_get_named_parameter(info, named.name.c_str()));
        bind_columns(api, info, table);
        if (!of.shared.opening && !table.is_function)
          api.bind_set_cardinality(info, static_cast<std::uint64_t>(of.table.estimate(0, 0)),
                                   false);
        api.bind_set_bind_data(info, bound.release(), delete_kept<BoundTable>);
      },
      [&](const char* why) { api_of.bind_set_error(info, why); });
}

base::result<void> open_rows(ReadTable& read) {
  const TableInfo& info = read.of.table.info();
  std::vector<int> known;
  for (const std::uint64_t column : read.columns)
    if (column < info.columns.size()) known.push_back(static_cast<int>(column));
  // Of rows that are only counted the key is the cheapest to have.
  read.only_counts = known.empty();
  if (read.only_counts) known.push_back(0);
  if (read.scan.conditions.empty() && (read.only_counts || known.size() == read.columns.size()))
    read.pages = read.of.table.pages(known, read.scan.stop);
  if (read.pages != nullptr) return {};
  auto cursor = read.of.table.open(read.scan);
  if (!cursor) return tl::unexpected(cursor.error());
  read.cursor = std::move(*cursor);
  return {};
}

void init_table(DuckInit info) {
  const DuckApi& api_of = loaded_duck();
  guarded_duck(
      [&] {
        auto& bound = *static_cast<BoundTable*>(api_of.init_get_bind_data(info));
        const DuckApi& api = bound.of.shared.api;
        auto read = std::make_unique<ReadTable>(ReadTable{bound.of, {}});
        read->scan = {.conditions = bound.conditions, .columns = 0, .stop = &bound.of.shared.stop};
        const std::size_t count = bound.of.table.info().columns.size();
        for (std::uint64_t i = 0; i < api.init_get_column_count(info); ++i) {
          const std::uint64_t column = api.init_get_column_index(info, i);
          read->columns.push_back(column);
          if (column < count)
            read->scan.columns |= std::uint64_t{1} << std::min<std::uint64_t>(column, 63);
        }
        if (auto opened = open_rows(*read); !opened)
          return api.init_set_error(info, bound.of.shared.keep(opened.error()).c_str());
        api.init_set_init_data(info, read.release(), delete_kept<ReadTable>);
      },
      [&](const char* why) { api_of.init_set_error(info, why); });
}

base::result<std::uint64_t> fill_from_pages(ReadTable& read, DuckChunk chunk) {
  const DuckApi& api = read.of.shared.api;
  if (read.page_done == read.page_rows) {
    const auto rows = read.pages->next();
    if (!rows) return tl::unexpected(rows.error());
    read.page_rows = *rows;
    read.page_done = 0;
  }
  const std::uint64_t rows = std::min(api.vector_size(), read.page_rows - read.page_done);
  for (std::size_t i = 0; i < read.columns.size() && !read.only_counts; ++i) {
    const auto nulls = read.pages->nulls(i);
    DuckFill fill(api, api.data_chunk_get_vector(chunk, i), DuckType::bigint);
    fill.put_all(read.pages->numbers(i).subspan(read.page_done, rows),
                 nulls.empty() ? nulls : nulls.subspan(read.page_done, rows));
  }
  read.page_done += rows;
  return rows;
}

base::result<std::uint64_t> fill_rows(ReadTable& read, DuckChunk chunk) {
  if (read.pages != nullptr) return fill_from_pages(read, chunk);
  const DuckApi& api = read.of.shared.api;
  const TableInfo& info = read.of.table.info();
  const std::uint64_t most = api.vector_size();
  std::vector<std::pair<int, DuckFill>> fills;  // columns that nobody looks at have no number
  for (std::size_t i = 0; i < read.columns.size(); ++i)
    if (read.columns[i] < info.columns.size())
      fills.emplace_back(static_cast<int>(read.columns[i]),
                         DuckFill(api, api.data_chunk_get_vector(chunk, i),
                                  duck_type_of(info.columns[read.columns[i]])));
  std::uint64_t rows = 0;
  for (; rows < most; ++rows) {
    const auto more = read.cursor->next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    for (auto& [column, fill] : fills) fill.put(rows, read.cursor->value(column));
  }
  return rows;
}

void read_table(DuckCall info, DuckChunk chunk) {
  const DuckApi& api_of = loaded_duck();
  guarded_duck(
      [&] {
        auto& read = *static_cast<ReadTable*>(api_of.function_get_init_data(info));
        DuckShared& shared = read.of.shared;
        const auto rows =
            shared.stop ? base::fail(base::Code::query_timeout, "stopped") : fill_rows(read, chunk);
        if (!rows) return api_of.function_set_error(info, shared.keep(rows.error()).c_str());
        shared.rows += *rows;
        shared.api.data_chunk_set_size(chunk, *rows);
      },
      [&](const char* why) { api_of.function_set_error(info, why); });
}

void add_parameters(const DuckApi& api, DuckTableFunction function, const TableInfo& info) {
  for (const Column& column : info.columns) {
    if (column.use != Use::parameter || !info.is_function) continue;
    const OwnedType type = duck_type(api, parameter_type_of(column));
    api.table_function_add_parameter(function, type.get());
  }
  for (const Named& named : named_of(info)) {
    const Column& column = info.columns[static_cast<std::size_t>(named.column)];
    const OwnedType type = duck_type(api, duck_type_of(column));
    api.table_function_add_named_parameter(function, named.name.c_str(), type.get());
  }
}

}  // namespace

base::result<void> add_duck_table(DuckLink link, const std::string& name, DuckTable& table) {
  const DuckApi& api = table.shared.api;
  const OwnedTableFunction function(api, api.create_table_function());
  api.table_function_set_name(function.get(), name.c_str());
  add_parameters(api, function.get(), table.table.info());
  api.table_function_set_extra_info(function.get(), &table, nullptr);
  api.table_function_set_bind(function.get(), bind_table);
  api.table_function_set_init(function.get(), init_table);
  api.table_function_set_function(function.get(), read_table);
  api.table_function_supports_projection_pushdown(function.get(), true);
  if (api.register_table_function(link, function.get()) == DuckState::good) return {};
  return base::fail(base::Code::limit_exceeded, "DuckDB does not take the table " + name);
}

}  // namespace polytrace::sql
