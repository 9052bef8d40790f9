// SPDX-License-Identifier: Apache-2.0
#include "history/csv_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.hpp"
#include "history/base64.hpp"

namespace polytrace::history {
namespace {

constexpr std::size_t kShown = 40;  // bytes of a wrong field that its notice shows

template <class T>
bool parse(std::string_view text, T& into) {
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, into);
  return fault == std::errc{} && stop == end;
}

class RowReader {
 public:
  RowReader(CsvScan& scan, CsvRow& row, Texts& texts, base::Notices& notices)
      : scan_(scan), row_(row), texts_(texts), notices_(notices) {}

  std::string run(CsvForm form) {
    const std::size_t fields = form == CsvForm::changes ? 4 : 5;
    if (scan_.fields != fields) return fmt::format("{} fields, not {}", scan_.fields, fields);
    switch (form) {
      case CsvForm::changes:
        integer(0, row_.start);
        row_.end = row_.start;
        row_.path = text(1);
        break;
      case CsvForm::keys:
        integer(0, row_.key);
        if (row_.key == kNoKey) wrong(0, "key");
        break;
      case CsvForm::paths: row_.path = text(0); break;
    }
    if (form != CsvForm::changes) times();
    value(fields - 2);
    return std::move(fault_);
  }

 private:
  std::string_view raw(std::size_t i) const {
    const CsvField& field = scan_.field[i];
    return {field.begin, static_cast<std::size_t>(field.end - field.begin)};
  }

  void wrong(std::size_t i, std::string_view what) {
    if (!fault_.empty()) return;
    fault_ = fmt::format("\"{}\" is no {}", base::repaired(raw(i).substr(0, kShown)), what);
  }

  template <class T>
  void integer(std::size_t i, T& into) {
    if (!parse(raw(i), into)) wrong(i, "number that fits here");
  }

  void times() {
    integer(1, row_.start);
    integer(2, row_.end);
    if (fault_.empty() && row_.start > row_.end) wrong(2, "end of an interval that starts later");
  }

  std::string_view text(std::size_t i) {
    undouble(scan_.field[i]);
    const std::string_view text = raw(i);
    if (std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; }))
      return text;
    std::string fixed = base::repaired(text);
    if (fixed == text) return text;
    notices_.add(base::Code::text_ill_formed,
                 {.line = static_cast<std::uint32_t>(row_.line), .column = 1}, 0);
    return texts_.keep(std::move(fixed));
  }

  void value(std::size_t type_field) {
    const std::size_t i = type_field + 1;
    const std::string_view type = raw(type_field);
    if (type == name(Type::open)) return nothing(i, Value::null());
    switch (find_type(type).value_or(Type::any)) {
      case Type::none: return nothing(i, Value::exists());
      case Type::boolean: return boolean(i);
      case Type::integer: return integer_value(i);
      case Type::real: return real(i);
      case Type::string: row_.value = Value::text(text(i)); return;
      case Type::bytes: return bytes(i);
      default: return wrong(type_field, "type of a value");
    }
  }

  void nothing(std::size_t i, const Value& value) {
    row_.value = value;
    if (!raw(i).empty()) wrong(i, "value of that type");
  }
  void boolean(std::size_t i) {
    row_.value = Value::of(raw(i) == "true");
    if (raw(i) != "true" && raw(i) != "false") wrong(i, "bool");
  }
  void integer_value(std::size_t i) {
    std::int64_t number = 0;
    integer(i, number);
    row_.value = Value::of(number);
  }
  // NaN and Infinity in any case, and shortened to nan and inf: what from_chars knows.
  void real(std::size_t i) {
    double number = 0;
    if (!parse(raw(i), number)) wrong(i, "double");
    row_.value = Value::of(number);
  }
  void bytes(std::size_t i) {
    CsvField& field = scan_.field[i];
    const auto size = decode_base64(raw(i), field.begin);
    if (!size) return wrong(i, "base64");
    row_.value = Value::bytes({field.begin, *size});
  }

  CsvScan& scan_;
  CsvRow& row_;
  Texts& texts_;
  base::Notices& notices_;
  std::string fault_{};
};

}  // namespace

std::string interpret(CsvScan& scan, CsvForm form, CsvRow& row, Texts& texts,
                      base::Notices& notices) {
  return RowReader(scan, row, texts, notices).run(form);
}

}  // namespace polytrace::history
