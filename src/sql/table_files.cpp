// SPDX-License-Identifier: Apache-2.0
#include "sql/table_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "sql/every_table.hpp"

namespace polytrace::sql {
namespace {

constexpr TableTarget kTargets[]{
#define TARGET(name, title, suffix, readers, is_folder, needs_duckdb) \
  {#name, title, suffix, readers, is_folder, needs_duckdb, name##_writer},
#include "sql/table_targets.def"
#undef TARGET
};

bool is_told_without_asking(const Table& table) {
  const std::string_view name = table.info().name;
  const auto id = table.info().find("id");
  if (!name.starts_with("event_")) return name != "event";
  Scan scan;
  scan.columns = std::uint64_t{1} << id;
  const auto rows = table.open(scan);
  const auto first = rows ? (*rows)->next() : base::result<bool>(true);
  return !first || *first;
}

// Hidden ones stand behind the others.
std::span<const Column> shown_columns(const TableInfo& table) {
  const auto hidden =
      std::ranges::find(table.columns, Column::Use::parameter, [](const auto& c) { return c.use; });
  return {table.columns.begin(), hidden};
}

base::result<WrittenTable> write_table(const Table& table, TableWriter& to,
                                       const std::atomic<bool>* stop) {
  const auto columns = shown_columns(table.info());
  if (auto begun = to.begin(table.info().name, columns); !begun)
    return tl::unexpected(begun.error());
  Scan scan;
  scan.stop = stop;
  const auto rows = table.open(scan);
  if (!rows) return tl::unexpected(rows.error());
  WrittenTable written{std::string(table.info().name)};
  std::vector<Value> cells(columns.size());
  for (;; ++written.rows) {
    if (written.rows % 4096 == 0 && scan.is_stopped())
      return base::fail(base::Code::query_timeout, "stopped");
    const auto more = (*rows)->next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = (*rows)->value(static_cast<int>(i));
    if (auto put = to.row(cells); !put) return tl::unexpected(put.error());
  }
  if (auto ended = to.end(); !ended) return tl::unexpected(ended.error());
  return written;
}

base::result<void> check_names(const std::vector<std::string>& wanted, const EveryTable& tables) {
  for (const std::string& name : wanted) {
    const auto has_name = [&](const auto& table) {
      return table->info().name == name && !table->info().is_function;
    };
    if (std::ranges::none_of(tables, has_name))
      return base::fail(base::Code::query_wrong, fmt::format("no table \"{}\"", name));
  }
  return {};
}

}  // namespace

std::span<const TableTarget> table_targets() { return kTargets; }

const TableTarget* find_table_target(std::string_view name) {
  const auto* const found = std::ranges::find(kTargets, name, &TableTarget::name);
  return found == std::end(kTargets) ? nullptr : found;
}

base::result<std::vector<WrittenTable>> write_tables(const TableFilesJob& job, TableWriter& to) {
  const EveryTable tables = every_table(job.trace);
  if (auto good = check_names(job.tables, tables); !good) return tl::unexpected(good.error());
  std::vector<WrittenTable> all;
  for (const auto& table : tables) {
    const TableInfo& info = table->info();
    const bool is_wanted = job.tables.empty()
                               ? is_told_without_asking(*table)
                               : std::ranges::find(job.tables, info.name) != job.tables.end();
    if (info.is_function || !is_wanted) continue;
    auto written = write_table(*table, to, job.stop);
    if (!written) return tl::unexpected(written.error());
    all.push_back(std::move(*written));
  }
  if (auto finished = to.finish(); !finished) return tl::unexpected(finished.error());
  return all;
}

}  // namespace polytrace::sql
