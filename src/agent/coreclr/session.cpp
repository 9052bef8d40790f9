// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/session.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>

#include "agent/common/options.hpp"
#include "agent/common/recorder.hpp"
#include "agent/coreclr/runtime.hpp"
#include "agent/coreclr/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

// What was passed to the program, arguments divided by spaces.
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

void tell_process(const char* options) {
  const std::string command = command_line();
  const std::string shown = redacted(options);
  const std::string version = runtime_version();
  utsname system{};
  uname(&system);
  event::Process details;
  details.command = command;
  details.runtime = "coreclr";
  details.runtime_version = version;
  details.host = system.nodename;
  details.os = "linux";
  details.architecture = "x86-64";
  details.pointer_size = sizeof(void*);
  details.agent = "polytrace";
  details.agent_version = POLYTRACE_VERSION;
  details.options = shown;
  define(details, static_cast<base::Id>(getpid()));
}

std::string written(const Pattern& pattern) {
  switch (pattern.kind()) {
    case Pattern::Kind::kAll: return "*";
    case Pattern::Kind::kPrefix: return pattern.text() + '*';
    case Pattern::Kind::kSuffix: return '*' + pattern.text();
    default: return pattern.text();
  }
}

void tell_settings() {
  for (const auto& [key, value] : settings().common.settings)
    define(event::Setting{.key = key, .value = value}, base::kNoId);
  for (const Rule& rule : settings().common.filters.rules()) {
    event::FilterRule details;
    const std::string type = written(rule.type);
    const std::string method = written(rule.method);
    details.pattern = type;
    details.method = method;
    details.mode = rule.include ? "INCLUDE" : "EXCLUDE";
    define(details, base::kNoId);
  }
}

}  // namespace

void tell_session(const char* options) {
  tell_process(options);
  tell_settings();
}

}  // namespace polytrace::agent::coreclr
