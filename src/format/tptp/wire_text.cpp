// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/wire_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "format/tptp/charset.hpp"

namespace polytrace::format::tptp {
namespace {

void replace_zeros(std::string& text) {
  for (auto at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, base::kReplacement);
}

}  // namespace

bool is_wire_text(std::string_view text, Meaning meaning, Spelling spelling, std::string& made) {
  // Readers of XML take a class name with slashes for one with dots.
  const bool dotted = meaning == Meaning::class_name && spelling == Spelling::xml;
  const bool slashes = dotted && text.find('/') != std::string_view::npos;
  const bool zeros = text.find('\0') != std::string_view::npos;
  if (is_ascii(text) && !zeros && !slashes && text.size() <= kMostTextBytes) return true;
  made.clear();
  append_utf8(made, text.substr(0, kMostTextBytes), Charset::utf8);
  if (zeros) replace_zeros(made);
  if (slashes) std::ranges::replace(made, '/', '.');
  return made == text;
}

}  // namespace polytrace::format::tptp
