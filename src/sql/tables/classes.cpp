// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "sql/tables/tables.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using store::EntitySort;

// Numbers of vtables are no classes: what names one names its class.
class ClassFacts {
 public:
  explicit ClassFacts(TracePointer trace) : trace_(std::move(trace)) {}

  std::uint64_t rows() const { return all().indexes.size(); }
  Value cell(std::uint64_t row, int column) const;

 private:
  struct All {
    std::vector<std::uint32_t> indexes;
    std::vector<std::uint64_t> super, module, source, fixed_size;
    std::unordered_map<base::Id, std::string_view> modules;
    std::vector<std::string> ids;
  };
  const All& all() const;
  Value text(std::uint64_t number) const {
    return number == ~std::uint64_t{0} ? Value()
                                       : Value::told(trace_->store().texts().text(number));
  }

  TracePointer trace_;
  mutable std::once_flag once_;
  mutable All all_;
};

const ClassFacts::All& ClassFacts::all() const {
  std::call_once(once_, [this] {
    const store::Store& store = trace_->store();
    const std::size_t count = store.entities().count(EntitySort::class_);
    const auto told = [&](std::string_view field) {
      return told_by_index(store, Kind::Class, field, count);
    };
    all_ = {
        {}, told("super"), told("module"), told("source"), told("fixed_size"), module_names(store),
        {}};
    for (std::uint32_t i = 0; i < count; ++i)
      if (trace_->class_of(i) == i) {
        all_.indexes.push_back(i);
        all_.ids.push_back(id_text(store.entities().of(EntitySort::class_, i).id));
      }
  });
  return all_;
}

Value ClassFacts::cell(std::uint64_t row, int column) const {
  const std::uint32_t index = all().indexes[row];
  switch (column) {
    case ClassColumns::class_id: return Value::of(index);
    case ClassColumns::name: return Value::name(trace_->class_name(index));
    case ClassColumns::super_name: return text(all().super[index]);
    case ClassColumns::source_file: return text(all().source[index]);
    case ClassColumns::fixed_size: {
      const std::uint64_t size = all().fixed_size[index];
      return size == ~std::uint64_t{0} ? Value() : Value::of(size);
    }
    case ClassColumns::source_id: return Value::told(all().ids[row]);
    default: break;
  }
  const auto found = all().modules.find(all().module[index]);
  return found == all().modules.end() ? Value() : Value::told(found->second);
}

}  // namespace

TablePointer class_table(const TracePointer& trace) {
  const auto facts = std::make_shared<const ClassFacts>(trace);
  return std::make_unique<ListedTable>(
      TableId::Class, ClassColumns::class_id, [=] { return facts->rows(); },
      [=](std::uint64_t row, int column) { return facts->cell(row, column); });
}

}  // namespace polytrace::sql
