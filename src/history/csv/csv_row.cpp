// SPDX-License-Identifier: Apache-2.0
#include "history/csv/csv_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/codes.hpp"
#include "base/text/base64.hpp"
#include "base/text/utf8.hpp"
#include "history/csv/csv_time.hpp"

namespace polytrace::history {
namespace {

// In the order of CsvColumn.
constexpr std::array<std::string_view, CsvHeader::kColumns> kColumnNames{
    "time", "path", "key", "start", "end", "type", "value"};

base::Unexpected no_header(std::string detail) {
  return base::fail(base::Code::row_malformed, std::move(detail), {.line = 1, .column = 1});
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

char separator_of(std::string_view line) {
  const std::size_t at = line.find_first_of(",;\t");
  return at == line.npos ? ',' : line[at];
}

base::result<void> take_name(std::string_view field, CsvHeader& header) {
  std::string_view name = header.separator == '\t' ? field : without_blanks(field);
  header.blanks |= name.size() != field.size();
  if (name.size() > 1 && name.front() == '"' && name.back() == '"')
    name = name.substr(1, name.size() - 2);
  const auto* const known = std::ranges::find(kColumnNames, lower(name));
  const auto column = static_cast<std::size_t>(known - kColumnNames.begin());
  if (known == kColumnNames.end())
    return no_header(fmt::format("the header's \"{}\" is none of {}", base::repaired(name),
                                 fmt::join(kColumnNames, ", ")));
  if (header.places[column] != CsvHeader::kNone)
    return no_header(fmt::format("the header has \"{}\" twice", *known));
  header.places[column] = header.fields++;
  return {};
}

// Which form the columns make; nothing when none.
std::optional<CsvForm> form_of(CsvHeader& header) {
  const auto has = [&](CsvColumn column) { return header.has(column); };
  if (!has(CsvColumn::value) || has(CsvColumn::path) == has(CsvColumn::key)) return {};
  if (has(CsvColumn::start) && has(CsvColumn::end) && !has(CsvColumn::time))
    return has(CsvColumn::key) ? CsvForm::keys : CsvForm::paths;
  const bool is_change = has(CsvColumn::time) && !has(CsvColumn::start) && !has(CsvColumn::end);
  return is_change && has(CsvColumn::path) ? std::optional(CsvForm::changes) : std::nullopt;
}

}  // namespace

base::result<CsvHeader> parse_csv_header(std::string_view line) {
  CsvHeader header{.separator = separator_of(line)};
  header.places.fill(CsvHeader::kNone);
  for (bool more = true; more;) {
    const std::size_t end = std::min(line.find(header.separator), line.size());
    if (auto taken = take_name(line.substr(0, end), header); !taken)
      return base::Unexpected(taken.error());
    more = end < line.size();
    line.remove_prefix(more ? end + 1 : end);
  }
  const auto form = form_of(header);
  if (!form)
    return no_header(fmt::format("the header is none of {}", fmt::join(kCsvHeaders, "; ")));
  header.form = *form;
  return header;
}

namespace {

constexpr std::size_t kShown = 40;  // bytes of a wrong field that its notice shows

template <class T>
bool parse(std::string_view text, T& into) {
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, into);
  return fault == std::errc{} && stop == end;
}

// A number as people write it; "nan" and "inf" may as well be words.
bool is_number(std::string_view text) {
  double number = 0;
  return text.find_first_of("0123456789") != text.npos && parse(text, number);
}

// What a value seems to be where no column tells its type.
Type guessed(const CsvField& field) {
  const std::string_view text(field.begin, static_cast<std::size_t>(field.end - field.begin));
  std::int64_t integer = 0;
  if (field.quoted) return Type::string;
  if (text.empty()) return Type::open;
  if (text == "true" || text == "false") return Type::boolean;
  if (parse(text, integer)) return Type::integer;
  return is_number(text) ? Type::real : Type::string;
}

class RowReader {
 public:
  RowReader(CsvScan& scan, const CsvHeader& header, CsvClock& clock, CsvRow& row, Texts& texts,
            base::Notices& notices)
      : scan_(scan), header_(header), clock_(clock), row_(row), texts_(texts), notices_(notices) {}

  std::string run() {
    if (scan_.fields != header_.fields)
      return fmt::format("{} fields, not {}", scan_.fields, header_.fields);
    if (header_.form == CsvForm::keys) {
      integer(header_.at(CsvColumn::key), row_.key);
      if (row_.key == kNoKey) wrong(header_.at(CsvColumn::key), "key");
    } else {
      row_.path = text(header_.at(CsvColumn::path));
    }
    times();
    value();
    if (fault_.empty()) clock_.wall = wall_;
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

  Tick time(CsvColumn column) {
    const std::size_t i = header_.at(column);
    const auto read = parse_csv_time(raw(i), clock_.ticks_per_second);
    if (!read) return wrong(i, "time that fits here"), 0;
    if (wall_.value_or(read->wall) != read->wall) wrong(i, "time of the same kind as the others");
    wall_ = read->wall;
    return read->tick;
  }

  void times() {
    wall_ = clock_.wall;
    const bool is_change = header_.form == CsvForm::changes;
    row_.start = time(is_change ? CsvColumn::time : CsvColumn::start);
    row_.end = is_change ? row_.start : time(CsvColumn::end);
    if (fault_.empty() && row_.start > row_.end)
      wrong(header_.at(CsvColumn::end), "end of an interval that starts later");
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

  // Type::any, which no value has, for a name that is none.
  Type type_of_value() const {
    if (!header_.has(CsvColumn::type)) return guessed(scan_.field[header_.at(CsvColumn::value)]);
    const std::string_view type = raw(header_.at(CsvColumn::type));
    return type == name(Type::open) ? Type::open : find_type(type).value_or(Type::any);
  }

  void value() {
    const std::size_t i = header_.at(CsvColumn::value);
    switch (type_of_value()) {
      case Type::open: return nothing(i, Value::null());
      case Type::none: return nothing(i, Value::exists());
      case Type::boolean: return boolean(i);
      case Type::integer: return integer_value(i);
      case Type::real: return real(i);
      case Type::string: row_.value = Value::text(text(i)); return;
      case Type::bytes: return bytes(i);
      default: return wrong(header_.at(CsvColumn::type), "type of a value");
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
    const auto size = base::decode_base64(raw(i), field.begin);
    if (!size) return wrong(i, "base64");
    row_.value = Value::bytes({field.begin, *size});
  }

  CsvScan& scan_;
  const CsvHeader& header_;
  CsvClock& clock_;
  std::optional<bool> wall_{};
  CsvRow& row_;
  Texts& texts_;
  base::Notices& notices_;
  std::string fault_{};
};

}  // namespace

std::string interpret(CsvScan& scan, const CsvHeader& header, CsvClock& clock, CsvRow& row,
                      Texts& texts, base::Notices& notices) {
  return RowReader(scan, header, clock, row, texts, notices).run();
}

}  // namespace polytrace::history
