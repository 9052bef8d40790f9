// SPDX-License-Identifier: Apache-2.0
#include "sql/tables/row_table.hpp"

#include <algorithm>
#include <bit>

#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using store::u16;
using store::u64;

constexpr u64 kNotTold = ~u64{0};

u16 field_of(event::Kind kind, std::string_view name) {
  if (name == "time") return store::kTimeField;
  if (name == "thread") return store::kThreadField;
  if (name == "subject") return store::kSubjectField;
  if (name == "path") return store::kPathField;
  if (name == "class") return store::kKnownClassField;
  return store::field_number(kind, name);
}

class RowTable;

class RowCursor final : public Cursor {
 public:
  RowCursor(const RowTable& table, const Scan& scan);
  base::result<bool> next() override;
  Value value(int column) const override;

 private:
  u64 number(std::size_t place) const { return page_->columns[place][at_]; }
  Value counter_value() const;
  bool fits() const;
  store::Range range_of(const Scan& scan) const;

  const RowTable& table_;
  std::vector<Condition> conditions_;
  std::vector<int> places_;  // by column, in what is scanned; -1: not scanned
  std::vector<u16> fields_;
  std::optional<store::RowScan> rows_;
  const store::RowPage* page_ = nullptr;
  std::size_t at_ = 0;
  mutable std::vector<std::string> texts_;  // of this row, by column
};

class RowTable final : public Table {
 public:
  RowTable(TracePointer trace, const TableInfo& info, event::Kind kind,
           std::vector<RowColumn> columns)
      : trace_(std::move(trace)), info_(info), kind_(kind), columns_(std::move(columns)) {}

  const TableInfo& info() const override { return info_; }
  double estimate(u64 equal, u64 ranges) const override {
    const auto all = static_cast<double>(KindRows(trace_->store(), kind_).rows()) + 1;
    return equal != 0 ? all / 50 : ranges != 0 ? all / 4 : all;
  }
  base::result<std::unique_ptr<Cursor>> open(const Scan& scan) const override {
    return std::make_unique<RowCursor>(*this, scan);
  }

  const Trace& trace() const { return *trace_; }
  event::Kind kind() const { return kind_; }
  const std::vector<RowColumn>& columns() const { return columns_; }

 private:
  TracePointer trace_;
  const TableInfo& info_;
  event::Kind kind_;
  std::vector<RowColumn> columns_;
};

RowCursor::RowCursor(const RowTable& table, const Scan& scan)
    : table_(table), conditions_(scan.conditions) {
  const auto& columns = table.columns();
  places_.assign(columns.size(), -1);
  texts_.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!scan.is_asked(static_cast<int>(i)) || columns[i].field.empty()) continue;
    const u16 field = field_of(table.kind(), columns[i].field);
    const auto found = std::ranges::find(fields_, field);
    places_[i] = static_cast<int>(found - fields_.begin());
    if (found == fields_.end()) fields_.push_back(field);
    if (columns[i].meaning != Meaning::counter_value) continue;
    for (const std::string_view name : {"type", "number"})
      fields_.push_back(field_of(table.kind(), name));
  }
  rows_.emplace(table.trace().store().frames(), table.kind(), range_of(scan), fields_);
}

store::Range RowCursor::range_of(const Scan& scan) const {
  store::Range range{.stop = scan.stop};
  for (std::size_t i = 0; i < table_.columns().size(); ++i) {
    const RowColumn& column = table_.columns()[i];
    const Scan::Bounds bounds = scan.bounds(static_cast<int>(i));
    if (column.meaning == Meaning::time && column.field == "time") {
      range.from = bounds.least;
      if (bounds.most != INT64_MAX) range.to = bounds.most + 1;
      if (bounds.is_empty()) range.to = range.from;
    }
    if (column.meaning == Meaning::thread && column.field == "thread" && bounds.is_one())
      range.threads = {bounds.least < 0 || bounds.least >= store::kThreadsWithoutEvents
                           ? store::kThreadsWithoutEvents - 1
                           : static_cast<std::uint32_t>(bounds.least)};
  }
  return range;
}

base::result<bool> RowCursor::next() {
  for (;;) {
    if (page_ == nullptr || ++at_ >= page_->rows.size()) {
      const auto page = rows_->next();
      if (!page) return tl::unexpected(page.error());
      page_ = *page;
      at_ = 0;
      if (page_ == nullptr) return false;
    }
    if (conditions_.empty() || fits()) return true;
  }
}

bool RowCursor::fits() const {
  return std::ranges::all_of(conditions_, [&](const Condition& condition) {
    return condition.holds(value(condition.column));
  });
}

Value RowCursor::counter_value() const {
  const auto type = number(static_cast<std::size_t>(
      std::ranges::find(fields_, field_of(table_.kind(), "type")) - fields_.begin()));
  const auto whole = number(static_cast<std::size_t>(
      std::ranges::find(fields_, field_of(table_.kind(), "number")) - fields_.begin()));
  const auto real = number(static_cast<std::size_t>(
      std::ranges::find(fields_, field_of(table_.kind(), "real")) - fields_.begin()));
  switch (static_cast<event::CounterType>(type)) {
    case event::CounterType::string: return {};
    case event::CounterType::real: return Value::of(std::bit_cast<double>(real));
    default: return Value::of(static_cast<double>(static_cast<std::int64_t>(whole)));
  }
}

Value RowCursor::value(int column) const {
  const auto place = static_cast<std::size_t>(column);
  const RowColumn& own = table_.columns()[place];
  const Trace& trace = table_.trace();
  const store::Paths& paths = trace.store().paths();
  if (own.meaning == Meaning::row) return Value::of(page_->rows[at_]);
  if (places_[place] < 0) return {};
  const u64 told = number(static_cast<std::size_t>(places_[place]));
  const auto index = static_cast<std::uint32_t>(told);
  const bool is_index = told < store::kNoIndex;
  const bool is_path = told < paths.size() && told != store::kEmptyPath;
  switch (own.meaning) {
    case Meaning::nothing:
    case Meaning::row: return {};
    case Meaning::time: return time_value(static_cast<base::Time>(told));
    case Meaning::thread: return is_index ? Value::of(index) : Value();
    case Meaning::count: return Value::of(static_cast<std::int64_t>(told));
    case Meaning::at_least_1: return Value::of(std::max<u64>(told, 1));
    case Meaning::optional:
      return told == store::none_of(table_.kind(),
                                    fields_[static_cast<std::size_t>(places_[place])])
                 ? Value()
                 : Value::of(static_cast<std::int64_t>(told));
    case Meaning::real: return Value::of(std::bit_cast<double>(told));
    case Meaning::flag: return Value::of(std::int64_t{told != 0});
    case Meaning::text: return Value::told(trace.store().texts().text(told));
    case Meaning::word: return Value::name(word_of(table_.kind(), own.field, told));
    case Meaning::id:
      if (told == kNotTold) return {};
      texts_[place] = id_text(told);
      return Value::of(std::string_view(texts_[place]));
    case Meaning::class_id: return is_index ? Value::of(trace.class_of(index)) : Value();
    case Meaning::class_name:
      return Value::name(trace.class_name(is_index ? index : store::kNoIndex));
    case Meaning::method_id: return is_index ? Value::of(index) : Value();
    case Meaning::method_name: return is_index ? Value::name(trace.method_name(index)) : Value();
    case Meaning::path: return is_path ? Value::of(index) : Value();
    case Meaning::path_method: return is_path ? index_value(paths.method(index)) : Value();
    case Meaning::path_name: return is_path ? Value::name(trace.path_name(index)) : Value();
    case Meaning::counter: return is_index ? Value::of(index) : Value();
    case Meaning::counter_track:
      return is_index ? Value::of((std::int64_t{1} << 31) + index) : Value();
    case Meaning::counter_value: return counter_value();
  }
  return {};
}

}  // namespace

TablePointer row_table(const TracePointer& trace, const TableInfo& info, event::Kind kind,
                       std::vector<RowColumn> columns) {
  return std::make_unique<RowTable>(trace, info, kind, std::move(columns));
}

}  // namespace polytrace::sql
