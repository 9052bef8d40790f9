// SPDX-License-Identifier: Apache-2.0
#include "server/query.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace polytrace::server {
namespace {

// Nothing where a "%" has no two digits behind it.
std::optional<std::string> decoded(std::string_view text) {
  constexpr int kHexadecimal = 16;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text.size() - i < 3) return std::nullopt;
    const auto read = std::from_chars(digits, digits + 2, byte, kHexadecimal);
    if (read.ec != std::errc{} || read.ptr != digits + 2) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

// How often a name may stand, by a list of such names.
std::size_t most_of(std::string_view name, std::string_view known) {
  while (!known.empty()) {
    std::string_view word = known.substr(0, known.find(' '));
    known.remove_prefix(std::min(word.size() + 1, known.size()));
    const bool repeats = word.ends_with('*');
    if (repeats) word.remove_suffix(1);
    if (word == name) return repeats ? std::numeric_limits<std::size_t>::max() : 1;
  }
  return 0;
}

}  // namespace

Query::Query(std::string_view text, std::string_view known) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const std::size_t mark = std::min(pair.find('='), pair.size());
    auto name = decoded(pair.substr(0, mark));
    auto value = decoded(pair.substr(std::min(mark + 1, pair.size())));
    if (name && value) pairs_.push_back({std::move(*name), std::move(*value)});
    else fault_ = "what stands behind the \"?\" is not understood";
  }
  if (fault_.empty()) check(known);
}

void Query::check(std::string_view known) {
  for (const Pair& pair : pairs_) {
    const std::size_t most = most_of(pair.name, known);
    if (most == 0) fault_ = "\"" + pair.name + "\" is nothing that can stand behind the \"?\" here";
    else if (most == 1 && values(pair.name).size() > 1)
      fault_ = "\"" + pair.name + "\" stands twice behind the \"?\"";
    if (!fault_.empty()) return;
  }
}

std::optional<std::string> Query::value(std::string_view name) const {
  const auto found = std::ranges::find(pairs_, name, &Pair::name);
  return found == pairs_.end() ? std::nullopt : std::optional(found->value);
}

std::vector<std::string> Query::values(std::string_view name) const {
  std::vector<std::string> all;
  for (const Pair& pair : pairs_)
    if (pair.name == name) all.push_back(pair.value);
  return all;
}

}  // namespace polytrace::server
