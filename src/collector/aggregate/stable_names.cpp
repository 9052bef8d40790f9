// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/stable_names.hpp"

#include <algorithm>
#include <array>

#include "base/text/utf8.hpp"

namespace polytrace::collector {
namespace {

// Behind these stands what differs from run to run.
constexpr std::array<std::string_view, 12> kMarks = {
    "$$Lambda",
    "$Proxy",
    "LambdaForm$DMH",
    "LambdaForm$MH",
    "LambdaForm$BMH",
    "LambdaForm$VH",
    "GeneratedMethodAccessor",
    "GeneratedConstructorAccessor",
    "GeneratedSerializationConstructorAccessor",
    "CGLIB$$",
    "FastClassBySpringCGLIB$$",
    "EnhancerBySpringCGLIB$$",
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// Whether a number can end before this: a word that only begins with such letters is none.
bool may_end(std::string_view rest) {
  return rest.empty() || std::string_view(".:/$([ ;").find(rest[0]) != std::string_view::npos;
}

// The length of "14", "$14", "/0x00000008", ".0x00000008" and rows of these at the front. `hashed`:
// what comes first is a hash without its 0x.
std::size_t number_length(std::string_view text, bool hashed) {
  std::size_t end = 0;
  for (;;) {
    std::size_t at = end;
    if (at < text.size() && (text[at] == '$' || text[at] == '/' || text[at] == '.')) ++at;
    const bool marked = text.substr(at, 2) == "0x";
    if (marked) at += 2;
    const std::size_t digits = at;
    const bool hex = marked || (hashed && digits == 0);
    while (at < text.size() && (hex ? is_hex(text[at]) : is_digit(text[at]))) ++at;
    if (at == digits || !may_end(text.substr(at))) return end;
    end = at;
  }
}

}  // namespace

std::string stable_name(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const auto mark = std::ranges::find_if(
        kMarks, [&](std::string_view text) { return name.substr(i).starts_with(text); });
    if (mark == kMarks.end()) {
      out += name[i++];
      continue;
    }
    out += *mark;
    i += mark->size();
    i += number_length(name.substr(i), mark->ends_with("CGLIB$$"));
  }
  return base::short_name(out, kLongestName);
}

}  // namespace polytrace::collector
