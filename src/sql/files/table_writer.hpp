// SPDX-License-Identifier: Apache-2.0
// A file of tables that is being written, table after table. What of a column's names is lent must
// live until its table has ended. One thread.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "sql/model/table.hpp"

namespace polytrace::sql {

class TableWriter {
 public:
  TableWriter() = default;
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;
  virtual ~TableWriter() = default;

  // A table begins: its columns, as rows will have them. Errors of all: write_failed;
  // engine_missing; query_wrong for a cell that the file cannot hold.
  virtual base::result<void> begin(std::string_view name, std::span<const Column> columns) = 0;
  virtual base::result<void> row(std::span<const Value> cells) = 0;
  virtual base::result<void> end() = 0;
  // Behind the last table: all of it is on the medium.
  virtual base::result<void> finish() = 0;
};

// Makers, by a row of table_targets.def each. `path`: of a file a name that is free, of a folder an
// empty one.
std::unique_ptr<TableWriter> csv_writer(const std::string& path);
std::unique_ptr<TableWriter> sqlite_writer(const std::string& path);
std::unique_ptr<TableWriter> arrow_writer(const std::string& path);
std::unique_ptr<TableWriter> parquet_writer(const std::string& path);
// For one table that goes into a file of this name.
std::unique_ptr<TableWriter> parquet_file(const std::string& path);

}  // namespace polytrace::sql
