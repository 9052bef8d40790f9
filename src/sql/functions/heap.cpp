// SPDX-License-Identifier: Apache-2.0
// What fills a heap snapshot, and what keeps an object alive: as `polytrace heap` says it.
#include <charconv>
#include <string>

#include "analysis/table/table.hpp"
#include "base/codes.hpp"
#include "base/slot.hpp"
#include "sql/functions/functions.hpp"

namespace polytrace::sql {
namespace {

using analysis::HeapView;

base::result<std::optional<std::uint64_t>> dump_of(const Value& value) {
  if (value.is_null()) return std::optional<std::uint64_t>();
  if (value.is_integer() && value.integer >= 0)
    return std::optional(static_cast<std::uint64_t>(value.integer));
  return base::fail(base::Code::query_wrong, "which snapshot? The id of heap_dump, or NULL");
}

// --- heap_classes ------------------------------------------------------------------------------

struct ClassRow {
  std::uint32_t class_index;
  std::string name;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t retained = 0;
};

std::vector<ClassRow> classes_of(const Trace& trace, const HeapView& view) {
  std::vector<ClassRow> all;
  for (HeapView::Index object = 0; object < view.graph.objects(); ++object) {
    ClassRow& row = base::slot(all, view.type(object));
    ++row.objects;
    row.bytes += view.graph.size(object);
  }
  const auto retained = analysis::retained_by_class(view);
  for (std::uint32_t type = 0; type < all.size(); ++type) {
    if (all[type].objects == 0) continue;
    all[type].class_index = trace.class_with(view.names.classes().id(type));
    all[type].name = view.names.class_name(type);
    all[type].retained = retained[type];
  }
  std::erase_if(all, [](const ClassRow& row) { return row.objects == 0; });
  std::ranges::stable_sort(all, std::ranges::greater{}, &ClassRow::retained);
  return all;
}

Value cell_of_class(const ClassRow& row, int column) {
  using At = HeapClassesColumns;
  switch (column) {
    case At::class_id: return index_value(row.class_index);
    case At::name: return Value::of(std::string_view(row.name));
    case At::objects: return Value::of(row.objects);
    case At::bytes: return Value::of(row.bytes);
    case At::retained: return Value::of(row.retained);
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_classes(const TracePointer& trace, const Scan& scan) {
  const auto dump = dump_of(scan.parameter(HeapClassesColumns::dump_id));
  if (!dump) return tl::unexpected(dump.error());
  std::vector<ClassRow> rows;
  const auto asked = trace->heap_graphs().with(
      *dump, scan.stop, [&](const HeapView& view) { rows = classes_of(*trace, view); });
  if (!asked) return tl::unexpected(asked.error());
  return made<ClassRow>(std::move(rows), cell_of_class);
}

// --- heap_path ---------------------------------------------------------------------------------

struct PathRow {
  std::uint64_t step;
  std::string object, name, strength, root;
  std::uint64_t size, retained;
};

std::string text_of(const analysis::Cell& cell) {
  const auto* const text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : *text;
}
std::uint64_t number_of(const analysis::Cell& cell) {
  const auto* const number = std::get_if<std::uint64_t>(&cell);
  return number == nullptr ? 0 : *number;
}

std::vector<PathRow> path_of(const HeapView& view, base::Id id) {
  std::vector<PathRow> rows;
  const HeapView::Index object = view.graph.find(id);
  if (object == analysis::HeapGraph::kNone) return rows;
  const analysis::Table table = analysis::path_table(view, object, {.sort = "", .limit = 0});
  const auto at = [&](std::string_view key) {
    return static_cast<std::size_t>(
        std::ranges::find(table.columns, key, &analysis::ColumnInfo::key) - table.columns.begin());
  };
  const std::size_t object_at = at("object"), class_at = at("class"), bytes_at = at("bytes"),
                    retained_at = at("retained"), strength_at = at("strength"),
                    root_at = at("root");
  for (const auto& row : table.rows)
    rows.push_back({rows.size(), text_of(row[object_at]), text_of(row[class_at]),
                    text_of(row[strength_at]), text_of(row[root_at]), number_of(row[bytes_at]),
                    number_of(row[retained_at])});
  return rows;
}

Value told_text(const std::string& text) {
  return text.empty() ? Value() : Value::of(std::string_view(text));
}

Value cell_of_path(const PathRow& row, int column) {
  using At = HeapPathColumns;
  switch (column) {
    case At::step: return Value::of(row.step);
    case At::object_id: return told_text(row.object);
    case At::name: return told_text(row.name);
    case At::size: return Value::of(row.size);
    case At::retained: return Value::of(row.retained);
    case At::strength: return told_text(row.strength);
    case At::root: return told_text(row.root);
    default: return {};
  }
}

base::result<std::unique_ptr<Cursor>> answer_path(const TracePointer& trace, const Scan& scan) {
  using At = HeapPathColumns;
  const auto dump = dump_of(scan.parameter(At::dump_id));
  if (!dump) return tl::unexpected(dump.error());
  const std::string_view text = scan.parameter(At::of_object_id).text;
  base::Id id = base::kNoId;
  const char* const end = text.data() + text.size();
  if (!text.starts_with("0x") ||
      std::from_chars(text.data() + 2, end, id, 16) != std::from_chars_result{end, std::errc()})
    return base::fail(base::Code::query_wrong, "which object? '0x7f01', an object_id");
  std::vector<PathRow> rows;
  const auto asked = trace->heap_graphs().with(
      *dump, scan.stop, [&](const HeapView& view) { rows = path_of(view, id); });
  if (!asked) return tl::unexpected(asked.error());
  return made<PathRow>(std::move(rows), cell_of_path);
}

}  // namespace

std::unique_ptr<Table> heap_classes_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(TableId::HeapClasses, 1000, [trace](const Scan& scan) {
    return answer_classes(trace, scan);
  });
}

std::unique_ptr<Table> heap_path_function(const TracePointer& trace) {
  return std::make_unique<FunctionTable>(
      TableId::HeapPath, 10, [trace](const Scan& scan) { return answer_path(trace, scan); });
}

}  // namespace polytrace::sql
