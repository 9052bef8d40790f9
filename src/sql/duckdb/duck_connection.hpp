// SPDX-License-Identifier: Apache-2.0
// A database of DuckDB in memory. One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sql/duckdb/handles.hpp"
#include "sql/duckdb/scalar_functions.hpp"
#include "sql/duckdb/table_function.hpp"
#include "sql/model/question.hpp"
#include "sql/trace/trace_tables.hpp"

namespace polytrace::sql {

struct DuckSetting {
  const char* name;
  std::string value;
};

class DuckConnection {
 public:
  explicit DuckConnection(const DuckApi& api) : api_(api), shared_(api), store_(api), link_(api) {}

  // It sees no file. Errors: limit_exceeded, which no user can cause.
  base::result<void> open(std::uint64_t memory);
  // For statements of ours alone: it writes files, and what has no room in memory into this folder.
  base::result<void> open_for_files(std::uint64_t memory, const std::string& spill);
  // The tables under pt_<name>, views of the plain names over them, and functions. What they are of
  // must outlive this. Once.
  base::result<void> add(std::span<const TraceTables> traces);
  // From now on no setting can be changed. Once.
  base::result<void> lock();
  // For statements of ours. Errors: limit_exceeded.
  base::result<void> run(const std::string& sql);

  const DuckApi& api() const { return api_; }
  DuckShared& shared() { return shared_; }
  DuckLink link() const { return link_.get(); }

 private:
  base::result<void> open_with(const std::vector<DuckSetting>& settings);
  base::result<void> add_table(const TraceTables& trace, const Table& table);

  const DuckApi& api_;
  DuckShared shared_;
  std::vector<std::unique_ptr<DuckTable>> tables_{};
  DuckScalars scalars_{};
  OwnedStore store_;
  OwnedLink link_;  // last: it ends first
};

}  // namespace polytrace::sql
