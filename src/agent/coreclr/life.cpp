// SPDX-License-Identifier: Apache-2.0
// From the runtime's first callback to its last. A program is never kept from running: what is
// wrong is said on stderr, and nothing is recorded.
#include <cstdio>
#include <cstdlib>

#include "agent/common/runtime/note.hpp"
#include "agent/control/runtime_handler.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

constexpr base::Duration kPatience = 30'000'000'000;

void say(const Faults& faults) {
  for (const std::string& fault : faults) std::fprintf(stderr, "polytrace: %s\n", fault.c_str());
}

// Programs that this one starts are none of the recording.
void spare_children() { ask(info::kSetEnvironmentVariable, u"CORECLR_ENABLE_PROFILING", u"0"); }

bool start_recorder(const char* options) {
  Faults faults;
  read_settings(options, faults);
  control::prepare_server(common_options(), faults);
  const Options& common = settings().common;
  if (common.help) std::fputs((option_help() + own_help()).c_str(), stderr);
  const bool wanted = !common.help && !common.off;
  const bool waits = common.server == Server::controlled;
  number_thread();
  const bool running = wanted && (waits || Recorder::the().start(common, faults));
  say(faults);
  if (wanted && !running) say({"nothing is recorded"});
  return running;
}

}  // namespace

// Comes before on_initialize(): we are the profiler, not one of several that only listen.
HResult on_notification_only(Bool* asked) {
  *asked = 0;
  return kOk;
}

// A failure makes the runtime let go of us.
HResult on_initialize(void* runtime) {
  const char* text = secure_getenv("POLYTRACE_OPTIONS");
  const char* options = text == nullptr ? "" : text;
  if (!hold_runtime(runtime)) {
    say({"this .NET is too old to be recorded: 5.0 is the oldest"});
    return kFailed;
  }
  const bool started = start_recorder(options);
  if (!settings().children) spare_children();
  if (!started) return kCancelled;
  tell_session();
  if ((settings().common.events.calls && !set_hooks()) || !set_event_mask() || !start_events()) {
    say({"the runtime refuses to be recorded"});
    Recorder::the().stop(kPatience);
    return kFailed;
  }
  define(event::Recording{.stage = event::RecordingStage::ready, .name = {}}, base::kNoId);
  start_samples();
  start_cpu_times();
  take_signals();
  take_commands();
  return kOk;
}

// Other threads may still call back; the runtime must not be asked any more.
HResult on_shutdown() {
  stop_samples();
  stop_cpu_times();
  forget_runtime();
  define(event::Recording{.stage = event::RecordingStage::shutdown, .name = {}}, base::kNoId);
  if (is_recording() && !Recorder::the().stop(kPatience))
    say({"the recording could not be finished; what is missing lies beside it"});
  control::stop_server();
  return kOk;
}

}  // namespace polytrace::agent::coreclr
