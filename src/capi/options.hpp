// SPDX-License-Identifier: Apache-2.0
// Options of a command as a caller in C tells them: one JSON object, its members named as the
// command's options with _ for -. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"

namespace polytrace::capi {

// What is not told stays as it is. A text may be told as a whole number, too.
struct Option {
  std::string_view name;
  std::variant<std::string*, bool*, std::uint64_t*> place;
};

// Null and "" tell nothing, as null does of an option. Errors: usage, where it is no such object or
// has a member that is no option.
base::result<void> read_options(const char* json, std::span<const Option> options);

}  // namespace polytrace::capi
