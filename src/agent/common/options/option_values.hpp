// SPDX-License-Identifier: Apache-2.0
// What the values of options mean; see options.def.
#pragma once

#include "agent/common/options/options.hpp"

namespace polytrace::agent {

using SetOption = bool (*)(Options& options, std::string_view value, Faults& faults);

struct OptionSetter {
  OptionRow row;
  bool list = false;
  SetOption set = nullptr;
};
inline constexpr std::size_t kMostOptions = 64;
std::span<const OptionSetter> option_setters();

// One KEY = value of TPTP's option file.
void set_tptp_key(Options& options, std::string_view key, std::string_view value);

}  // namespace polytrace::agent
