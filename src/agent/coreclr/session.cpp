// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/session.hpp"

#include <unistd.h>

#include <cstdio>

#include "agent/common/options.hpp"
#include "agent/common/recorder.hpp"
#include "agent/common/told.hpp"
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
  const utsname machine = ask_machine();
  event::Process details = process_facts(machine, "polytrace", shown);
  details.command = command;
  details.runtime = "coreclr";
  details.runtime_version = version;
  define(details, static_cast<base::Id>(getpid()));
}

}  // namespace

void tell_session(const char* options) {
  tell_process(options);
  define_settings(settings().common);
  define_filters(settings().common.filters);
}

}  // namespace polytrace::agent::coreclr
