// SPDX-License-Identifier: Apache-2.0
// The names of what INTRO flags and directives say. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace polytrace::format::monoblock {

// "classes,jit,bit-40": set bits by name, lowest first, joined by commas.
std::string names_of_flags(std::uint64_t flags);
// Nothing when a part is no such name.
std::optional<std::uint64_t> flags_of_names(std::string_view names);

// The key of the setting that stands for a directive.
inline constexpr std::string_view kDirectiveKey = "directive";

bool is_directive(std::uint64_t number);
// Its name, or its number as text.
std::string directive_name(std::uint64_t number);

}  // namespace polytrace::format::monoblock
