// SPDX-License-Identifier: Apache-2.0
#include "agent/common/record/introduction.hpp"

#include <cstdio>

#include "agent/common/record/recorder.hpp"

namespace polytrace::agent {

std::string command_line() {
  std::string text;
  if (std::FILE* file = std::fopen("/proc/self/cmdline", "re"); file != nullptr) {
    char buffer[4096];
    const std::size_t size = std::fread(buffer, 1, sizeof buffer, file);
    std::fclose(file);
    text.assign(buffer, size);
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text)
    if (c == '\0') c = ' ';
  return redacted(text);
}

utsname ask_machine() {
  utsname machine{};
  uname(&machine);
  return machine;
}

event::Process process_facts(const utsname& machine, std::string_view agent,
                             std::string_view options) {
  event::Process details;
  details.host = machine.nodename;
  details.os = "linux";
  details.architecture = machine.machine;
  details.pointer_size = sizeof(void*);
  details.agent = agent;
  details.agent_version = POLYTRACE_VERSION;
  details.options = options;
  return details;
}

void define_setting(std::string_view key, std::string_view value) {
  define(event::Setting{.key = key, .value = value}, base::kNoId);
}

void define_settings(const Options& options) {
  for (const auto& [key, value] : options.settings) define_setting(key, value);
}

namespace {

void define_rule(const Rule& rule) {
  const std::string type = rule.type.written();
  const std::string method = rule.method.written();
  event::FilterRule details;
  details.pattern = type;
  details.method = method;
  details.mode = rule.include ? "INCLUDE" : "EXCLUDE";
  define(details, base::kNoId);
}

}  // namespace

void define_filters(const Filters& filters) {
  for (const Rule& rule : filters.rules()) define_rule(rule);
  // Who reads them need not know how they were written.
  if (filters.leaves_out_the_rest()) {
    Rule rest;
    rest.include = false;
    define_rule(rest);
  }
}

}  // namespace polytrace::agent
