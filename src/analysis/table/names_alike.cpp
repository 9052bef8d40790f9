// SPDX-License-Identifier: Apache-2.0
#include "analysis/table/names_alike.hpp"

#include <algorithm>
#include <array>

namespace polytrace::analysis {
namespace {

// "Order:.ctor" and "Order.<init>" make the same.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSame = {{
    {".cctor", "clinit"},
    {".ctor", "init"},
    {"<clinit>", "clinit"},
    {"<init>", "init"},
}};
// Of nested classes, of methods.
constexpr std::string_view kSeparators = ":/+$.";
// What Java's names begin with.
constexpr std::array<std::string_view, 4> kDomains = {"com.", "org.", "net.", "io."};

std::string_view without_parameters(std::string_view name) {
  const std::size_t end = name.find('(', 1);
  name = name.substr(0, end);
  while (name.ends_with(' ')) name.remove_suffix(1);
  return name;
}

// The length of a type parameter list at `at`: "`1", "<int, List<string>>", "[T]" stay arrays.
std::size_t generic_length(std::string_view name, std::size_t at) {
  std::size_t end = at;
  if (name[at] == '`') {
    for (++end; end < name.size() && name[end] >= '0' && name[end] <= '9';) ++end;
    return end - at;
  }
  if (name[at] != '<' || at == 0) return 0;
  std::size_t depth = 0;
  for (; end < name.size(); ++end) {
    if (name[end] == '<') ++depth;
    if (name[end] == '>' && --depth == 0) return end + 1 - at;
  }
  return 0;
}

}  // namespace

std::string alike(std::string_view name, NameKind kind) {
  if (kind == NameKind::plain || name.starts_with('(')) return std::string(name);
  if (kind == NameKind::method) name = without_parameters(name);
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const auto same =
        std::ranges::find_if(kSame, [&](const auto& pair) { return name.substr(i) == pair.first; });
    if (same != kSame.end()) {
      if (!out.empty() && out.back() != '.') out += '.';
      out += same->second;
      i = name.size();
    } else if (const std::size_t length = generic_length(name, i); length != 0) {
      i += length;
    } else if (kSeparators.find(name[i]) != kSeparators.npos) {
      if (!out.empty() && out.back() != '.') out += '.';
      ++i;
    } else {
      const char c = name[i++];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  for (const std::string_view domain : kDomains)
    if (out.starts_with(domain) && out.find('.', domain.size()) != out.npos)
      return out.substr(domain.size());
  return out;
}

}  // namespace polytrace::analysis
