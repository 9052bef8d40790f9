// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/settings.hpp"

#include <charconv>
#include <string_view>

namespace polytrace::agent::mono {
namespace {

Settings g_settings;

constexpr std::string_view kPrefix = "mono.";

struct Switch {
  std::string_view name;
  bool Settings::* value;
};
constexpr Switch kSwitches[]{
    {"stacks", &Settings::stacks},
    {"moves", &Settings::moves},
    {"handles", &Settings::handles},
    {"roots", &Settings::roots},
    {"finalizers", &Settings::finalizers},
    {"wall-clock", &Settings::wall_clock},
    {"check-stacks", &Settings::check_stacks},
};

bool is_on(std::string_view value) {
  return value.empty() || value == "true" || value == "yes" || value == "on" || value == "1";
}
bool is_off(std::string_view value) {
  return value == "false" || value == "no" || value == "off" || value == "0";
}

bool set_switch(std::string_view name, std::string_view value) {
  for (const Switch& row : kSwitches) {
    if (row.name != name) continue;
    if (!is_on(value) && !is_off(value)) return false;
    g_settings.*row.value = is_on(value);
    return true;
  }
  return false;
}

bool set_number(std::string_view name, std::string_view value) {
  if (name != "heap-collections") return false;
  const auto [stop, fault] =
      std::from_chars(value.data(), value.data() + value.size(), g_settings.heap_collections);
  return fault == std::errc{} && stop == value.data() + value.size();
}

// Where calls are recorded, they tell the stack of everything else.
void set_defaults() {
  const EventSet& events = g_settings.common.events;
  g_settings.stacks = !events.calls && g_settings.common.stack_depth != 0;
  g_settings.moves = events.alloc != AllocMode::kNone;
}

}  // namespace

const Settings& settings() { return g_settings; }
Options& common_options() { return g_settings.common; }

void read_settings(const char* text, Faults& faults) {
  g_settings.common = parse_options(text, faults);
  set_defaults();
  for (const auto& [full_name, value] : g_settings.common.others) {
    std::string_view name = full_name;
    if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
    if (!set_switch(name, value) && !set_number(name, value))
      faults.push_back("option " + full_name + "=" + value + " is not understood");
  }
}

}  // namespace polytrace::agent::mono
