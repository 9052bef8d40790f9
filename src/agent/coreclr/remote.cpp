// SPDX-License-Identifier: Apache-2.0
// Commands from outside, on the server's own thread, which runs no managed code: it may ask the
// runtime for names and for collections.
#include "agent/control/recorder_handler.hpp"
#include "agent/coreclr/memory/heap_dump.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"
#include "agent/coreclr/session.hpp"

namespace polytrace::agent::coreclr {
namespace {

using control::Outcome;
using control::Reply;

class CoreClrHandler final : public control::RecorderHandler {
 public:
  CoreClrHandler(Options options, control::Facts facts, std::string text)
      : RecorderHandler(std::move(options), std::move(facts)), text_(std::move(text)) {}

  Reply heap_dump(std::string_view name) override {
    if (!is_recording()) return Reply::refused(Outcome::kWrongState, "does not run");
    const DumpResult done = dump_heap(name);
    if (!done.whole)
      return Reply::refused(Outcome::kFailed, "not all of the heap could be recorded");
    Reply reply = Reply::ok();
    reply.figures = {{"objects", done.objects}, {"references", done.references}};
    return reply;
  }

  Reply run_gc() override {
    if (ask(info::kForceGC)) return Reply::ok();
    return Reply::refused(Outcome::kFailed, "the runtime does not collect now");
  }

 protected:
  bool prepare() override { return begin_stream(); }
  void begun() override {
    tell_session(text_.c_str());
    tell_threads();
    tell_loaded();
    tell_methods();
  }

 private:
  std::string text_;
};

control::ServerConfig g_config;
control::Server* g_server = nullptr;
std::string g_text;

}  // namespace

void prepare_server(const char* options, Faults& faults) {
  g_config = control::server_config(common_options(), faults);
  g_text = options;
}

void start_server() {
  if (!g_config.wanted()) return;
  control::Facts facts;
  facts.runtime = ".NET " + runtime_version();
  facts.agent = "polytrace-coreclr " POLYTRACE_VERSION;
  g_server = control::start_server(*new CoreClrHandler(settings().common, facts, g_text), g_config);
}

void stop_server() {
  if (g_server != nullptr) g_server->stop(g_config.drain_ms);
}

}  // namespace polytrace::agent::coreclr
