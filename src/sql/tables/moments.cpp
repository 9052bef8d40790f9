// SPDX-License-Identifier: Apache-2.0
// What happened at a moment: each table is of the events of one kind.
#include "sql/tables/row_table.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using M = Meaning;

}  // namespace

TablePointer alloc_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::Alloc), Kind::Alloc,
                   {{M::row},
                    {M::time, "time"},
                    {M::thread, "thread"},
                    {M::class_id, "subject"},
                    {M::class_name, "subject"},
                    {M::count, "size"},
                    {M::at_least_1, "weight"},
                    {M::id, "object"},
                    {M::path, "path"},
                    {M::path_method, "path"},
                    {M::path_name, "path"},
                    {M::flag, "array"}});
}

TablePointer alloc_sum_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::AllocSum), Kind::AllocSummary,
                   {{M::row},
                    {M::time, "time"},
                    {M::thread, "thread"},
                    {M::class_id, "subject"},
                    {M::class_name, "subject"},
                    {M::count, "count"},
                    {M::count, "bytes"},
                    {M::path, "path"},
                    {M::path_name, "path"}});
}

TablePointer sample_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::Sample), Kind::Sample,
                   {{M::row},
                    {M::time, "time"},
                    {M::thread, "subject"},
                    {M::thread, "thread"},
                    {M::word, "mode"},
                    {M::at_least_1, "weight"},
                    {M::path, "path"},
                    {M::path_method, "path"},
                    {M::path_name, "path"}});
}

TablePointer exception_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::Exception), Kind::Throw,
                   {{M::row},
                    {M::time, "time"},
                    {M::thread, "thread"},
                    {M::class_id, "class"},
                    {M::class_name, "class"},
                    {M::id, "subject"},
                    {M::path, "path"},
                    {M::path_method, "path"},
                    {M::path_name, "path"}});
}

TablePointer exception_clause_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::ExceptionClause), Kind::Clause,
                   {{M::row},
                    {M::time, "time"},
                    {M::thread, "thread"},
                    {M::method_id, "subject"},
                    {M::method_name, "subject"},
                    {M::word, "clause"},
                    {M::count, "number"}});
}

TablePointer counter_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::Counter), Kind::CounterValue,
                   {{M::row},
                    {M::time, "time"},
                    {M::counter, "subject"},
                    {M::counter_track, "subject"},
                    {M::counter_value, "real"},
                    {M::text, "text"},
                    {}});
}

TablePointer heap_size_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::HeapSize), Kind::HeapSize,
                   {{M::row},
                    {M::time, "time"},
                    {M::optional, "used"},
                    {M::optional, "total"},
                    {M::optional, "objects"},
                    {M::text, "generation"},
                    {M::optional, "collection"}});
}

TablePointer census_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::Census), Kind::Census,
                   {{M::row},
                    {M::time, "time"},
                    {M::class_id, "subject"},
                    {M::class_name, "subject"},
                    {M::count, "objects"},
                    {M::count, "bytes"},
                    {M::word, "reach"},
                    {M::optional, "collection"}});
}

TablePointer lost_table(const TracePointer& trace) {
  return row_table(trace, describe(TableId::Lost), Kind::Lost,
                   {{M::row},
                    {M::time, "time"},
                    {M::thread, "thread"},
                    {M::optional, "records"},
                    {M::optional, "bytes"},
                    {M::time, "from"},
                    {M::time, "to"},
                    {M::text, "reason"}});
}

}  // namespace polytrace::sql
