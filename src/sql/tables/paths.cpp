// SPDX-License-Identifier: Apache-2.0
#include "sql/tables/tables.hpp"

namespace polytrace::sql {
namespace {

// The empty path is none: rows are the others.
Value cell_of_path(const Trace& trace, std::uint64_t row, int column) {
  const auto path = static_cast<std::uint32_t>(row + 1);
  const store::Paths& paths = trace.store().paths();
  switch (column) {
    case PathColumns::path_id: return Value::of(path);
    case PathColumns::parent_id:
      return paths.parent(path) == store::kEmptyPath ? Value() : Value::of(paths.parent(path));
    case PathColumns::method_id: return index_value(paths.method(path));
    case PathColumns::depth: return Value::of(trace.depths()[path]);
    default: return Value::name(trace.path_name(path));
  }
}

}  // namespace

TablePointer path_table(const TracePointer& trace) {
  return std::make_unique<ListedTable>(
      TableId::Path, PathColumns::path_id,
      [=] { return std::uint64_t{trace->store().paths().size()} - 1; },
      [=](std::uint64_t row, int column) { return cell_of_path(*trace, row, column); });
}

}  // namespace polytrace::sql
