// SPDX-License-Identifier: Apache-2.0
// The options that one agent has beside the common ones, as a table: each chooses between two
// words.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agent/common/tools/faults.hpp"

namespace polytrace::agent {

template <class Settings>
struct Switch {
  std::string_view name;
  bool Settings::* target;
  std::string_view text;  // for people
  std::string_view on = "yes";
  std::string_view off = "no";
};

// False: no switch has this name. A word that is neither of its two is told in `faults`.
template <class Settings>
bool set_switch(std::span<const Switch<Settings>> table, Settings& settings, std::string_view name,
                std::string_view value, Faults& faults) {
  for (const Switch<Settings>& row : table) {
    if (row.name != name) continue;
    settings.*row.target = value == row.on || value.empty();
    if (value != row.on && value != row.off && !value.empty())
      faults.push_back(std::string(name) + " is " + std::string(row.on) + " or " +
                       std::string(row.off));
    return true;
  }
  return false;
}

template <class Settings>
std::string help_of(std::span<const Switch<Settings>> table) {
  std::string text;
  for (const Switch<Settings>& row : table) {
    ((((text += row.name) += '=') += row.on) += '|') += row.off;
    ((text += "\n    ") += row.text) += '\n';
  }
  return text;
}

}  // namespace polytrace::agent
