// SPDX-License-Identifier: Apache-2.0
// The text of single values in TPTP XML (docs/formats/trcxml.md, "Values"). No time ever passes
// through a double.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/tptp/messages/catalogue.hpp"

namespace polytrace::format::tptp {

enum class Reading : std::uint8_t {
  fine,
  clamped,     // out of range: the nearest value that fits
  unreadable,  // the default, 0
  named,       // an id that is no number: a number that stands for the text
};

struct Number {
  std::int64_t value = 0;
  Reading reading = Reading::fine;
};

// Seconds with at most nine digits that count behind the point, as nanoseconds.
Number read_time(std::string_view text);
// The value of an attribute that is no text and no list.
Number read_number(const AttributeInfo& attribute, std::string_view text);

// Seconds, a point, nine digits.
void append_time(std::string& to, std::int64_t nanoseconds);
// REQUIRES: the attribute is no text and no list.
void append_number(std::string& to, const AttributeInfo& attribute, std::int64_t value);

// The same text, as it may stand between quotes, or between tags. What XML 1.0 cannot hold becomes
// U+FFFD; says how many characters did. REQUIRES: well-formed UTF-8.
std::size_t append_attribute_text(std::string& to, std::string_view text);
std::size_t append_content(std::string& to, std::string_view text);

}  // namespace polytrace::format::tptp
