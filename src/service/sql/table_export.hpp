// SPDX-License-Identifier: Apache-2.0
// Tables of a trace written as files for others. They appear under their name when all are
// complete.
#pragma once

#include <string>
#include <vector>

#include "service/sql/sql_traces.hpp"
#include "sql/table_files.hpp"

namespace polytrace::service {

struct TableExportQuestion {
  std::string tables{};  // names, separated by commas; empty: as sql::TableFilesJob says
  std::string output{};  // a folder or a file, as the target is
  bool force = false;    // replace what is there
};
struct TableExport {
  const sql::TableTarget* target = nullptr;
  std::string file{};
  Reading reading{};
  std::vector<base::Notice> remarks{};  // as of SqlTraces
  bool written = false;                 // not, where a part would replace a whole file
  std::vector<sql::WrittenTable> tables{};
};
// Refusals: usage and output_exists; those of the trace, of its tables and of writing.
Asked<TableExport> export_tables(const Input& input, const sql::TableTarget& target,
                                 const TableExportQuestion& question);

// {"schema": "polytrace.export/1", ...}
std::string table_export_json(const TableExport& done);

}  // namespace polytrace::service
