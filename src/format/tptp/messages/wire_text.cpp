// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/wire_text.hpp"

#include <algorithm>

#include "base/text/utf8.hpp"
#include "format/tptp/messages/charset.hpp"

namespace polytrace::format::tptp {
namespace {

void replace_zeros(std::string& text) {
  for (auto at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, base::kReplacement);
}

// Names of classes have dots, and $ before nested ones; readers of XML take slashes for dots. With
// dots beside them slashes stand before nested classes, alone they are dots.
void replace_slashes(std::string& name) {
  std::ranges::replace(name, '/', name.find('.') == std::string::npos ? '.' : '$');
}

}  // namespace

bool is_wire_text(std::string_view text, Meaning meaning, std::string& made) {
  const bool slashes = meaning == Meaning::class_name && text.find('/') != std::string_view::npos;
  const bool zeros = text.find('\0') != std::string_view::npos;
  if (is_ascii(text) && !zeros && !slashes && text.size() <= kMostTextBytes) return true;
  made.clear();
  append_utf8(made, text.substr(0, kMostTextBytes), Charset::utf8);
  if (zeros) replace_zeros(made);
  if (slashes) replace_slashes(made);
  return made == text;
}

}  // namespace polytrace::format::tptp
