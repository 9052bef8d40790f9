// SPDX-License-Identifier: Apache-2.0
#include "history/csv/csv_writer.hpp"

#include <fmt/format.h>

#include "base/text/base64.hpp"
#include "history/model/value.hpp"

namespace polytrace::history {
namespace {

constexpr std::size_t kWritePiece = std::size_t{64} * 1024;

void append_integer(std::string& out, std::int64_t number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

}  // namespace

CsvWriter::CsvWriter(base::Sink& sink, CsvForm form)
    : sink_(sink), form_(form), held_(kCsvHeaders[static_cast<std::size_t>(form)]) {
  held_ += '\n';
}

base::result<void> CsvWriter::add(const CsvRow& row) {
  if (form_ == CsvForm::keys) append_integer(held_, row.key);
  if (form_ == CsvForm::paths) append_text(row.path);
  if (form_ != CsvForm::changes) held_ += ',';
  append_integer(held_, row.start);
  held_ += ',';
  if (form_ == CsvForm::changes) append_text(row.path);
  else append_integer(held_, row.end);
  held_ += ',';
  held_ += name(row.value.type());
  held_ += ',';
  append_value(row.value);
  held_ += '\n';
  return held_.size() < kWritePiece ? base::result<void>() : finish();
}

base::result<void> CsvWriter::finish() {
  auto written = sink_.write(std::as_bytes(std::span(held_)));
  held_.clear();
  return written;
}

void CsvWriter::append_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    held_ += text;
    return;
  }
  held_ += '"';
  for (const char c : text) {
    if (c == '"') held_ += c;
    held_ += c;
  }
  held_ += '"';
}

void CsvWriter::append_value(const Value& value) {
  switch (value.type()) {
    case Type::boolean: held_ += value.truth() ? "true" : "false"; return;
    case Type::integer: return append_integer(held_, value.integer());
    case Type::real: return append_double(held_, value.real());
    case Type::string: return append_text(value.text());
    case Type::bytes: return base::append_base64(held_, value.text());
    default: return;
  }
}

}  // namespace polytrace::history
