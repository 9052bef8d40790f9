// SPDX-License-Identifier: Apache-2.0
#include "base/text/row_text.hpp"

namespace polytrace::base {
namespace {

constexpr std::string_view kFormulaStart = "=+-@\t\r\n";

std::string guarded(std::string_view text) {
  const bool formula = !text.empty() && kFormulaStart.find(text.front()) != text.npos;
  return (formula ? "'" : "") + std::string(text);
}

}  // namespace

std::string csv_text(std::string_view text) {
  const std::string safe = guarded(text);
  if (safe.find_first_of(",\"\r\n") == safe.npos) return safe;
  std::string out = "\"";
  for (const char c : safe) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string tsv_text(std::string_view text) {
  std::string out;
  for (const char c : guarded(text)) {
    switch (c) {
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace polytrace::base
