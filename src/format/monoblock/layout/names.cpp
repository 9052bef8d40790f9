// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/layout/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace polytrace::format::monoblock {
namespace {

struct Name {
  std::uint64_t number;
  std::string_view name;
};

constexpr Name kFlags[]{
#define FLAG(bit, name) {bit, name},
#include "format/monoblock/layout/intro_flags.def"
#undef FLAG
};

constexpr Name kDirectives[]{
#define DIRECTIVE(number, identifier, name) {number, name},
#include "format/monoblock/layout/directives.def"
#undef DIRECTIVE
};

constexpr std::string_view kNameless = "bit-";

std::optional<std::uint64_t> to_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string flag_name(std::uint64_t bit) {
  const auto* found = std::ranges::find(kFlags, bit, &Name::number);
  return found == std::end(kFlags) ? fmt::format("{}{}", kNameless, bit) : std::string(found->name);
}

std::optional<std::uint64_t> flag_bit(std::string_view name) {
  const auto* found = std::ranges::find(kFlags, name, &Name::name);
  if (found != std::end(kFlags)) return found->number;
  if (!name.starts_with(kNameless)) return std::nullopt;
  const auto bit = to_number(name.substr(kNameless.size()));
  return bit && *bit < 64 ? bit : std::nullopt;
}

}  // namespace

std::string names_of_flags(std::uint64_t flags) {
  std::string names;
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    if ((flags >> bit & 1U) == 0) continue;
    if (!names.empty()) names += ',';
    names += flag_name(bit);
  }
  return names;
}

std::optional<std::uint64_t> flags_of_names(std::string_view names) {
  std::uint64_t flags = 0;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const auto bit = flag_bit(names.substr(0, end));
    if (!bit) return std::nullopt;
    flags |= std::uint64_t{1} << *bit;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return flags;
}

bool is_directive(std::uint64_t number) {
  return std::ranges::find(kDirectives, number, &Name::number) != std::end(kDirectives);
}

std::string directive_name(std::uint64_t number) {
  const auto* found = std::ranges::find(kDirectives, number, &Name::number);
  return found == std::end(kDirectives) ? std::to_string(number) : std::string(found->name);
}

}  // namespace polytrace::format::monoblock
