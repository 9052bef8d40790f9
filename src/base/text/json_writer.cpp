// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "base/text/terminal_text.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::base {
namespace {

constexpr std::uint64_t kExact = std::uint64_t{1} << 53;

// REQUIRES: below 0x10000, as are all that a terminal obeys.
void append_code(std::string& out, char32_t code) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (is_obeyed(static_cast<unsigned char>(c))) append_code(out, static_cast<unsigned char>(c));
  else out += c;
}

template <class Integer>
void append_integer(std::string& out, Integer number, bool exact) {
  const std::string_view quote = exact ? "" : "\"";
  fmt::format_to(std::back_inserter(out), "{}{}{}", quote, number, quote);
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const Character c = first_character(text.substr(i));
    if (c.bytes == 0) out += kReplacement;
    else if (c.bytes == 1) append_escaped(out, text[i]);
    else if (is_obeyed(c.code)) append_code(out, c.code);
    else out += text.substr(i, c.bytes);
    i += c.bytes == 0 ? 1 : c.bytes;
  }
  out += '"';
}

void JsonWriter::line_break() {
  if (std::exchange(fresh_line_, false) && form_ == Form::one_line) out_ += '\n';
  if (form_ == Form::one_line) return;
  out_ += '\n';
  out_.append(2 * has_items_.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  line_break();
}

void JsonWriter::begin(char bracket) {
  before_value();
  out_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::end(char bracket) {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) line_break();
  out_ += bracket;
}

void JsonWriter::key(std::string_view key) {
  before_value();
  append_json_text(out_, key);
  out_ += form_ == Form::one_line ? ":" : ": ";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  before_value();
  append_json_text(out_, text);
}

void JsonWriter::value(std::uint64_t number) {
  before_value();
  append_integer(out_, number, number <= kExact);
}

void JsonWriter::value(std::int64_t number) {
  before_value();
  const bool exact =
      number >= -static_cast<std::int64_t>(kExact) && number <= static_cast<std::int64_t>(kExact);
  append_integer(out_, number, exact);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", number);
}

void JsonWriter::value(bool truth) {
  before_value();
  out_ += truth ? "true" : "false";
}

void JsonWriter::number(std::string_view digits) {
  before_value();
  out_ += digits;
}

void JsonWriter::null() {
  before_value();
  out_ += "null";
}

}  // namespace polytrace::base
