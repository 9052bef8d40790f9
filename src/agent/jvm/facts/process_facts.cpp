// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/facts/process_facts.hpp"

#include <unistd.h>

#include <string>

#include "agent/common/record/introduction.hpp"
#include "agent/common/record/recorder.hpp"
#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

namespace {

std::string property(const char* name) {
  TiText value;
  return ok(vm().ti->GetSystemProperty(name, value.out())) ? std::string(value.view()) : "";
}

}  // namespace

void tell_process(std::string_view options) {
  const std::string command = redacted(property("sun.java.command"));
  const std::string shown = redacted(options);
  const std::string runtime = property("java.vm.name");
  const std::string version = property("java.vm.version");
  const utsname machine = ask_machine();
  event::Process details = process_facts(machine, "polytrace-jvm", shown);
  details.name = std::string_view(command).substr(0, command.find(' '));
  details.command = command;
  details.runtime = runtime;
  details.runtime_version = version;
  define(details, static_cast<base::Id>(getpid()));
}

void tell_settings(const Settings& settings, const Plan& plan) {
  define_settings(settings.common);
  define_setting("jvm.accessors", plan.accessors ? "yes" : "no");
  define_filters(plan.filters);
}

}  // namespace polytrace::agent::jvm
