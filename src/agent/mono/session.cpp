// SPDX-License-Identifier: Apache-2.0
// Commands from outside: what needs the runtime is done by the finalizer's thread, which the server
// wakes; the server's own thread is none of the runtime's.
#include <time.h>

#include <string>

#include "agent/common/runtime/introduction.hpp"
#include "agent/control/runtime_handler.hpp"
#include "agent/mono/runtime/ahead.hpp"
#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/runtime.hpp"
#include "agent/mono/runtime/settings.hpp"

namespace polytrace::agent::mono {
namespace {

using control::Outcome;
using control::Reply;

control::Facts facts() {
  const RuntimeText version(mono_get_runtime_build_info());  // 6.8.0.105 (...)
  return {.runtime = "mono " + std::string(version.view()),
          .agent = "polytrace-mono " POLYTRACE_VERSION,
          .clock = {},
          .capabilities = {}};
}

bool wait_for_heap(std::uint64_t before) {
  constexpr timespec kPause{0, 10'000'000};
  for (int i = 0; i < 500; ++i) {
    if (heaps_taken() != before) return true;
    nanosleep(&kPause, nullptr);
  }
  return false;
}

Reply heap_dump(std::string_view /*name*/) {
  const std::uint64_t before = heaps_taken();
  ask_for_heap();
  if (wait_for_heap(before)) return Reply::ok();
  return Reply::refused(Outcome::failed, "no collection in time; it may still come");
}

Reply run_gc() {
  ask_for_collection();
  return Reply::ok();
}

void tell_beginning() {
  tell_session();
  tell_threads();
  ask_for_classes();
}

}  // namespace

void tell_session() {
  number_thread();
  const Recording recording;
  const std::string command = command_line();
  const RuntimeText version(mono_get_runtime_build_info());
  const Options& options = settings().common;
  introduce({.written = settings().text,
             .command = command,
             .runtime = "mono",
             .runtime_version = version.view(),
             .architecture = "x86-64"},  // as Mono's own profiler says it
            options, options.filters);
  forget_compiled_ahead();
  tell_compiled_ahead();
}

void take_commands() {
  control::start_server(settings().common,
                        {facts, heap_dump, run_gc, begin_stream, tell_beginning});
}

}  // namespace polytrace::agent::mono
