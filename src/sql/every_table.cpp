// SPDX-License-Identifier: Apache-2.0
#include "sql/every_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sql/functions/functions.hpp"
#include "sql/tables/tables.hpp"

namespace polytrace::sql {
namespace {

using Made = std::unique_ptr<Table> (*)(const TracePointer&);

// In the order of tables.def.
constexpr Made kMakers[]{
    trace_info_table,
    process_table,
    thread_table,
    method_table,
    class_table,
    path_table,
    counter_track_table,
    method_total_table,
    notice_table,
    chunk_table,
    slice_table,
    gc_table,
    gc_pause_table,
    lock_wait_table,
    object_wait_table,
    jit_table,
    thread_state_table,
    recording_table,
    alloc_table,
    alloc_sum_table,
    sample_table,
    exception_table,
    exception_clause_table,
    counter_table,
    heap_size_table,
    census_table,
    lost_table,
    event_table,
    methods_function,
    method_stats_function,
    call_tree_function,
    bottom_up_function,
    callers_function,
    callees_function,
    open_calls_function,
    stack_of_function,
    allocations_function,
    samples_function,
    ancestor_slice_function,
    slice_lod_function,
    descendant_slice_function,
    activity_function,
    state_at_function,
    state_range_function,
    heap_classes_function,
    heap_path_function,
    mmu_function,
    report_notes_function,
};

FindTable finder_of(const EveryTable& tables) {
  std::vector<const Table*> all;
  for (const auto& table : tables)
    if (!table->info().is_function) all.push_back(table.get());
  return [all = std::move(all)](std::string_view name) -> const Table* {
    const auto has_name = [&](const Table* table) { return table->info().name == name; };
    const auto found = std::ranges::find_if(all, has_name);
    return found == all.end() ? nullptr : *found;
  };
}

}  // namespace

EveryTable every_table(const TracePointer& trace) {
  EveryTable tables;
  for (const Made make : kMakers) tables.push_back(make(trace));
  for (auto& table : heap_tables(trace)) tables.push_back(std::move(table));
  for (auto& table : kind_event_tables(trace)) tables.push_back(std::move(table));
  const FindTable find = finder_of(tables);
  tables.push_back(lock_waits_function(trace, find));
  tables.push_back(histogram_function(find));
  tables.push_back(group_by_function(trace, find));
  for (auto& table : report_functions(trace)) tables.push_back(std::move(table));
  return tables;
}

std::vector<TraceTables> tables_of(const std::vector<std::shared_ptr<const Trace>>& traces) {
  std::vector<TraceTables> all;
  all.push_back({traces.front(), {}, every_table(traces.front())});
  for (std::size_t i = 0; i < traces.size() && traces.size() > 1; ++i)
    all.push_back({traces[i], fmt::format("t{}_", i + 1), every_table(traces[i])});
  return all;
}

}  // namespace polytrace::sql
