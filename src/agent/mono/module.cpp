// SPDX-License-Identifier: Apache-2.0
// Where the runtime comes in: --profile=polytrace:OPTIONS loads this library and calls
// mono_profiler_init_polytrace(), before it starts. A program is never kept from running: what is
// wrong is said on stderr, and nothing is recorded.

#include <cstdio>
#include <cstring>
#include <string>

#include "agent/control/runtime_handler.hpp"
#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"
#include "agent/mono/stacks/stacks.hpp"

namespace polytrace::agent::mono {
namespace {

// Stands for what the runtime hands to every callback; there is one recording, so nobody looks in.
int g_profiler = 0;

constexpr base::Duration kPatience = 30'000'000'000;

void say(const Faults& faults) {
  for (const std::string& fault : faults) std::fprintf(stderr, "polytrace: %s\n", fault.c_str());
}

void on_initialized(MonoProfiler*) {
  runtime_is_ready();
  define(event::Recording{.stage = event::RecordingStage::ready, .name = {}}, base::kNoId);
  start_counters();
  take_commands();
}

void on_shutdown_begin(MonoProfiler*) {
  if (settings().common.heap_dump == HeapDump::at_end) take_heap();
}

// For tests of our own walks.
void tell_walks() {
  if (!settings().check_stacks) return;
  const WalkCounts counts = walk_counts();
  const std::string text = "own stack walks: " + std::to_string(counts.own) +
                           ", unlike the runtime's: " + std::to_string(counts.wrong);
  define(event::Note{text}, base::kNoId);
}

void on_shutdown_end(MonoProfiler*) {
  stop_counters();
  tell_walks();
  tell_pending_methods();
  tell_cut_stacks();
  tell_native_symbols();
  tell_missed_samples();
  define(event::Recording{.stage = event::RecordingStage::shutdown, .name = {}}, base::kNoId);
  if (is_recording() && !Recorder::the().stop(kPatience))
    say({"the recording could not be finished; what is missing lies beside it"});
  control::stop_server();
}

void install(MonoProfilerHandle runtime) {
  mono_profiler_set_runtime_initialized_callback(runtime, on_initialized);
  mono_profiler_set_runtime_shutdown_begin_callback(runtime, on_shutdown_begin);
  mono_profiler_set_runtime_shutdown_end_callback(runtime, on_shutdown_end);
  install_loading(runtime);
  install_threads(runtime);
  install_code(runtime);
  install_memory(runtime);
  install_collections(runtime);
  install_faults(runtime);
  install_samples(runtime);
  install_calls(runtime);
}

// `text` is the whole of --profile's value: "polytrace" or "polytrace:OPTIONS".
void start(const char* text) {
  const char* colon = std::strchr(text, ':');
  const char* options = colon == nullptr ? "" : colon + 1;
  Faults faults;
  read_settings(options, faults);
  control::prepare_server(common_options(), faults);
  const Options& common = settings().common;
  if (common.help) std::fputs((option_help() + own_help()).c_str(), stderr);
  if (common.help || common.off) return say(faults);
  number_thread();
  patience_of_collector();  // reads the environment, which no later moment may
  const bool waits = common.server == Server::controlled;
  const bool running = waits || Recorder::the().start(common, faults);
  say(faults);
  if (!running) return say({"nothing is recorded"});
  tell_session();
  install(mono_profiler_create(reinterpret_cast<MonoProfiler*>(&g_profiler)));
}

}  // namespace
}  // namespace polytrace::agent::mono

extern "C" [[gnu::visibility("default")]] void mono_profiler_init_polytrace(const char* text);
void mono_profiler_init_polytrace(const char* text) { polytrace::agent::mono::start(text); }
