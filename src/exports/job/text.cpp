// SPDX-License-Identifier: Apache-2.0
#include "exports/job/text.hpp"

#include "base/text/utf8.hpp"

namespace polytrace::exports {
namespace {

// Line separator and paragraph separator, which some readers end lines at; NEL.
bool ends_line(std::string_view character) {
  return character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9" || character == "\xc2\x85";
}

}  // namespace

std::string line_text(std::string_view name, std::string_view unwelcome, char instead) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const std::string_view rest = name.substr(i);
    const base::Character c = base::first_character(rest);
    const std::string_view character = rest.substr(0, c.bytes);
    const auto byte = static_cast<unsigned char>(name[i]);
    const bool is_none = c.bytes == 0 || c.code == 0xfffe || c.code == 0xffff;
    if (is_none) out += base::kReplacement;
    else if (c.bytes == 1 && (byte < 0x20 || byte == 0x7f)) out += ' ';
    else if (c.bytes == 1 && unwelcome.find(name[i]) != std::string_view::npos) out += instead;
    else if (ends_line(character)) out += ' ';
    else out += character;
    i += c.bytes == 0 ? 1 : c.bytes;
  }
  return out.empty() ? "(no name)" : out;
}

}  // namespace polytrace::exports
