// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/process_facts.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <string>

#include "agent/common/recorder.hpp"
#include "agent/jvm/vm.hpp"

namespace polytrace::agent::jvm {

namespace {

std::string property(const char* name) {
  TiText value;
  return ok(vm().ti->GetSystemProperty(name, value.out())) ? std::string(value.view()) : "";
}

std::string written(const Pattern& pattern) {
  switch (pattern.kind()) {
    case Pattern::Kind::kAll: return "*";
    case Pattern::Kind::kPrefix: return pattern.text() + '*';
    case Pattern::Kind::kSuffix: return '*' + pattern.text();
    default: return pattern.text();
  }
}

void tell(std::string_view key, std::string_view value) {
  define(event::Setting{.key = key, .value = value}, base::kNoId);
}

}  // namespace

void tell_process(std::string_view options) {
  const std::string command = redacted(property("sun.java.command"));
  const std::string shown = redacted(options);
  const std::string runtime = property("java.vm.name");
  const std::string version = property("java.vm.version");
  utsname system{};
  uname(&system);
  event::Process details;
  details.name = std::string_view(command).substr(0, command.find(' '));
  details.command = command;
  details.runtime = runtime;
  details.runtime_version = version;
  details.host = system.nodename;
  details.os = "linux";
  details.architecture = system.machine;
  details.pointer_size = sizeof(void*);
  details.agent = "polytrace-jvm";
  details.agent_version = POLYTRACE_VERSION;
  details.options = shown;
  define(details, static_cast<base::Id>(getpid()));
}

void tell_settings(const Settings& settings, const Plan& plan) {
  for (const auto& [key, value] : settings.common.settings) tell(key, value);
  tell("jvm.accessors", plan.accessors ? "yes" : "no");
  tell_filters(plan);
}

void tell_filters(const Plan& plan) {
  for (const Rule& rule : plan.filters.rules()) {
    const std::string type = written(rule.type);
    const std::string method = written(rule.method);
    event::FilterRule details;
    details.pattern = type;
    details.method = method;
    details.mode = rule.include ? "INCLUDE" : "EXCLUDE";
    define(details, base::kNoId);
  }
}

}  // namespace polytrace::agent::jvm
