// SPDX-License-Identifier: Apache-2.0
// Tables of a trace as files for others: what queries see, row by row.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sql/files/table_writer.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

struct TableTarget {
  std::string_view name;
  std::string_view title;
  std::string_view suffix;
  std::string_view readers;
  bool is_folder;
  bool needs_duckdb;
  std::unique_ptr<TableWriter> (*make)(const std::string& path);
};
std::span<const TableTarget> table_targets();
// Null: there is none of the name.
const TableTarget* find_table_target(std::string_view name);

struct TableFilesJob {
  std::shared_ptr<const Trace> trace;
  // Empty: all, of those of one kind of event only where there are any; not `event`, which has the
  // same rows as all of these and `slice`.
  std::vector<std::string> tables{};
  const std::atomic<bool>* stop = nullptr;
};
struct WrittenTable {
  std::string name;
  std::uint64_t rows = 0;
};
// In the order of the catalogue; hidden columns are left out. Errors: query_wrong for a table that
// there is not; query_timeout when asked to stop; write_failed; those of tables.
base::result<std::vector<WrittenTable>> write_tables(const TableFilesJob& job, TableWriter& to);

}  // namespace polytrace::sql
