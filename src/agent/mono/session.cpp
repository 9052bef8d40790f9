// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/session.hpp"

#include <unistd.h>

#include "agent/common/record/introduction.hpp"
#include "agent/mono/runtime/ahead.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/runtime.hpp"
#include "agent/mono/runtime/settings.hpp"

namespace polytrace::agent::mono {
namespace {

void tell_process(const char* options) {
  const std::string command = command_line();
  const std::string shown = redacted(options);
  const RuntimeText version(mono_get_runtime_build_info());
  const utsname machine = ask_machine();
  event::Process details = process_facts(machine, "polytrace", shown);
  details.architecture = "x86-64";  // as Mono's own profiler says it
  details.command = command;
  details.runtime = "mono";
  details.runtime_version = version.view();
  tell(details, static_cast<base::Id>(getpid()));
}

void tell_settings() {
  number_thread();
  const Recording recording;
  define_settings(settings().common);
  define_filters(settings().common.filters);
  forget_compiled_ahead();
  tell_compiled_ahead();
}

}  // namespace

void tell_session(const char* options) {
  tell_process(options);
  tell_settings();
}

std::string runtime_name() {
  const RuntimeText version(mono_get_runtime_build_info());
  return "mono " + std::string(version.view());
}

}  // namespace polytrace::agent::mono
