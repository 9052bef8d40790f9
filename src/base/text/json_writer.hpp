// SPDX-License-Identifier: Apache-2.0
// Writes JSON to a string as it goes; nothing is kept but the nesting. Integers beyond 2^53 become
// strings, since most readers hold numbers as doubles; text that is not UTF-8 is repaired; numbers
// that JSON does not know (NaN, infinity) become null. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polytrace::base {

class JsonWriter {
 public:
  enum class Form : std::uint8_t { indented, one_line };
  // Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string& out, Form form = Form::indented) : out_(out), form_(form) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  // REQUIRES: directly inside an object; followed by one value.
  void key(std::string_view key);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(std::uint64_t number);
  void value(std::int64_t number);
  void value(std::uint32_t number) { value(std::uint64_t{number}); }
  void value(int number) { value(std::int64_t{number}); }
  void value(double number);
  void value(bool truth);
  void null();
  // A number as it is spelled, whatever its size: for files whose readers take integers exactly.
  // REQUIRES: a JSON number.
  void number(std::string_view digits);
  // The next item of this array or object begins a line, in the form one_line, too.
  void new_line() { fresh_line_ = true; }

  template <class T>
  void member(std::string_view name, const T& item) {
    key(name);
    value(item);
  }

 private:
  void begin(char bracket);
  void end(char bracket);
  void before_value();
  void line_break();

  std::string& out_;
  Form form_;
  std::vector<bool> has_items_;  // per open bracket
  bool after_key_ = false;
  bool fresh_line_ = false;
};

// `text` as a JSON string, quotes included.
void append_json_text(std::string& out, std::string_view text);

}  // namespace polytrace::base
