// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/session.hpp"

#include <unistd.h>

#include "agent/common/options/options.hpp"
#include "agent/common/record/introduction.hpp"
#include "agent/common/record/recorder.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/framework.hpp"
#include "agent/coreclr/runtime/prof_variables.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

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
  define_prof_settings(settings());
  define_filters(settings().common.filters);
  // Its methods are left out, whatever their names, unless a rule before takes them in.
  if (!framework_folder().empty()) define_setting("coreclr.framework", framework_folder());
  tell_pseudo_methods();
}

}  // namespace polytrace::agent::coreclr
