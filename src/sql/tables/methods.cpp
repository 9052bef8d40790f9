// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "sql/tables/tables.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using store::EntitySort;
using Told = std::vector<std::uint64_t>;

class MethodFacts {
 public:
  explicit MethodFacts(TracePointer trace) : trace_(std::move(trace)) {}

  std::uint64_t rows() const { return trace_->methods().size(); }
  Value cell(std::uint64_t row, int column) const;

 private:
  struct More {
    Told source, first_line, last_line, code_size, flags, module;
    std::unordered_map<base::Id, std::string_view> modules;
    std::vector<std::string> ids;
  };
  const More& more() const;
  Value text(std::uint64_t number) const {
    return number == ~std::uint64_t{0} ? Value()
                                       : Value::told(trace_->store().texts().text(number));
  }
  static Value number(std::uint64_t number) {
    return number == ~std::uint64_t{0} ? Value() : Value::of(number);
  }
  Value detail(std::uint64_t row, int column) const;

  TracePointer trace_;
  mutable std::once_flag once_;
  mutable More more_;
};

const MethodFacts::More& MethodFacts::more() const {
  std::call_once(once_, [this] {
    const store::Store& store = trace_->store();
    const auto told = [&](std::string_view field) {
      return told_by_index(store, Kind::Method, field, rows());
    };
    more_ = {told("source"), told("first_line"), told("last_line"),   told("code_size"),
             told("flags"),  told("module"),     module_names(store), {}};
    for (std::size_t i = 0; i < rows(); ++i)
      more_.ids.push_back(id_text(store.entities().of(EntitySort::method, i).id));
  });
  return more_;
}

Value MethodFacts::detail(std::uint64_t row, int column) const {
  const More& all = more();
  switch (column) {
    case MethodColumns::source_file: return text(all.source[row]);
    case MethodColumns::first_line: return number(all.first_line[row]);
    case MethodColumns::last_line: return number(all.last_line[row]);
    case MethodColumns::code_size: return number(all.code_size[row]);
    case MethodColumns::flags: return number(all.flags[row]);
    case MethodColumns::source_id: return Value::told(all.ids[row]);
    case MethodColumns::module: break;
    default: return {};
  }
  const auto found = all.modules.find(all.module[row]);
  return found == all.modules.end() ? Value() : Value::told(found->second);
}

Value MethodFacts::cell(std::uint64_t row, int column) const {
  const MethodName& method = trace_->methods()[row];
  switch (column) {
    case MethodColumns::method_id: return Value::of(row);
    case MethodColumns::name: return Value::name(method.name);
    case MethodColumns::short_name: return Value::name(method.short_name);
    case MethodColumns::class_id: return index_value(method.class_index);
    case MethodColumns::class_name:
      return method.class_index == store::kNoIndex
                 ? Value()
                 : Value::name(trace_->class_name(method.class_index));
    case MethodColumns::signature:
      return text(trace_->store().entities().of(EntitySort::method, row).signature);
    case MethodColumns::is_helper: return Value::of(method.is_helper);
    default: return detail(row, column);
  }
}

}  // namespace

TablePointer method_table(const TracePointer& trace) {
  const auto facts = std::make_shared<const MethodFacts>(trace);
  return std::make_unique<ListedTable>(
      TableId::Method, MethodColumns::method_id, [=] { return facts->rows(); },
      [=](std::uint64_t row, int column) { return facts->cell(row, column); });
}

}  // namespace polytrace::sql
