// SPDX-License-Identifier: Apache-2.0
#include "server/query.hpp"

#include <charconv>

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

}  // namespace

Query::Query(std::string_view text) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const std::size_t mark = std::min(pair.find('='), pair.size());
    const auto name = decoded(pair.substr(0, mark));
    const auto value = decoded(pair.substr(std::min(mark + 1, pair.size())));
    if (name && value) pairs_.push_back({*name, *value});
    else is_wrong_ = true;
  }
}

std::optional<std::string> Query::take(std::string_view name) {
  std::vector<std::string> all = take_all(name);
  if (all.size() > 1) is_wrong_ = true;
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

std::vector<std::string> Query::take_all(std::string_view name) {
  std::vector<std::string> all;
  for (Pair& pair : pairs_) {
    if (pair.name != name) continue;
    pair.taken = true;
    all.push_back(pair.value);
  }
  return all;
}

std::string Query::fault() const {
  if (is_wrong_) return "what stands behind the \"?\" is not understood";
  for (const Pair& pair : pairs_)
    if (!pair.taken) return "\"" + pair.name + "\" is nothing that can stand behind the \"?\" here";
  return {};
}

}  // namespace polytrace::server
