// SPDX-License-Identifier: Apache-2.0
// Commands from outside are done on the server's own thread, which runs no managed code: it may ask
// the runtime for names and for collections.
#include <string>

#include "agent/common/runtime/introduction.hpp"
#include "agent/control/runtime_handler.hpp"
#include "agent/coreclr/memory/heap_dump.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/framework.hpp"
#include "agent/coreclr/runtime/prof_variables.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

using control::Outcome;
using control::Reply;

control::Facts facts() {
  return {.runtime = ".NET " + runtime_version(),
          .agent = "polytrace-coreclr " POLYTRACE_VERSION,
          .clock = {},
          .capabilities = {}};
}

Reply heap_dump(std::string_view name) {
  const DumpResult done = dump_heap(name);
  if (!done.whole) return Reply::refused(Outcome::failed, "not all of the heap could be recorded");
  Reply reply = Reply::ok();
  reply.figures = {{"objects", done.objects}, {"references", done.references}};
  return reply;
}

Reply run_gc() {
  if (ask(info::kForceGC)) return Reply::ok();
  return Reply::refused(Outcome::failed, "the runtime does not collect now");
}

void tell_beginning() {
  tell_session();
  tell_threads();
  tell_loaded();
  tell_methods();
}

}  // namespace

void tell_session() {
  const std::string command = command_line();
  const std::string version = runtime_version();
  const auto own = prof_settings(settings());
  const Options& options = settings().common;
  introduce({.written = settings().text,
             .command = command,
             .runtime = "coreclr",
             .runtime_version = version,
             .own = own},
            options, options.filters);
  // Its methods are left out, whatever their names, unless a rule before takes them in.
  if (!framework_folder().empty()) define_setting("coreclr.framework", framework_folder());
  tell_pseudo_methods();
}

void take_commands() {
  control::start_server(settings().common,
                        {facts, heap_dump, run_gc, begin_stream, tell_beginning});
}

}  // namespace polytrace::agent::coreclr
