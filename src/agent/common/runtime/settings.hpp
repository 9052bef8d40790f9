// SPDX-License-Identifier: Apache-2.0
// What a recording records: the options of every agent, and those that one runtime has beside them
// as a table, most of them switches between two words.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agent/common/options/options.hpp"
#include "agent/common/tools/faults.hpp"

namespace polytrace::agent {

template <class Own>
struct Settings : Own {
  std::string text;  // as the user wrote them
  Options common;
};

template <class Own>
struct Switch {
  std::string_view name;
  bool Own::* target;
  std::string_view text;  // for people
  std::string_view on = "yes";
  std::string_view off = "no";
};

template <class Own>
struct OwnOptions {
  std::span<const Switch<Own>> switches;
  // Those that are no switch. False: none has this name, or not this value.
  bool (*set_other)(Own& own, std::string_view name, std::string_view value) = nullptr;
  std::string_view others{};  // the help of these
};

// `text` as the user wrote it. The runtime's own options are only collected: see set_own().
template <class Own>
void read_common(Settings<Own>& settings, std::string_view text, Faults& faults) {
  settings.text = text;
  settings.common = parse_options(text, faults);
}

// False: no switch has this name. A word that is neither of its two is told in `faults`.
template <class Own>
bool set_switch(const OwnOptions<Own>& options, Own& own, std::string_view name,
                std::string_view value, Faults& faults) {
  for (const Switch<Own>& row : options.switches) {
    if (row.name != name) continue;
    own.*row.target = value == row.on || value.empty();
    if (value != row.on && value != row.off && !value.empty())
      faults.push_back(std::string(name) + " is " + std::string(row.on) + " or " +
                       std::string(row.off));
    return true;
  }
  return false;
}

// After the defaults that depend on the common options. What is not understood is told in `faults`.
template <class Own>
void set_own(const OwnOptions<Own>& options, Settings<Own>& settings, Faults& faults) {
  Own& own = settings;
  for (const auto& [name, value] : settings.common.others)
    if (!set_switch(options, own, name, value, faults) &&
        (options.set_other == nullptr || !options.set_other(own, name, value)))
      faults.push_back("option " + name + "=" + value + " is not understood");
}

// For people.
template <class Own>
std::string help_of(const OwnOptions<Own>& options) {
  std::string text;
  for (const Switch<Own>& row : options.switches) {
    ((((text += row.name) += '=') += row.on) += '|') += row.off;
    ((text += "\n    ") += row.text) += '\n';
  }
  return text += options.others;
}

}  // namespace polytrace::agent
