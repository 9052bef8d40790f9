// SPDX-License-Identifier: Apache-2.0
// Commands from outside: what needs the runtime is done by the finalizer's thread, which the server
// wakes; the server's own thread is none of the runtime's.
#include <time.h>

#include "agent/control/recorder_handler.hpp"
#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"
#include "agent/mono/session.hpp"

namespace polytrace::agent::mono {
namespace {

using control::Outcome;
using control::Reply;

class MonoHandler final : public control::RecorderHandler {
 public:
  MonoHandler(Options options, control::Facts facts, std::string text)
      : RecorderHandler(std::move(options), std::move(facts)), text_(std::move(text)) {}

  Reply heap_dump(std::string_view /*name*/) override {
    if (!is_recording()) return Reply::refused(Outcome::kWrongState, "does not run");
    const std::uint64_t before = heaps_taken();
    ask_for_heap();
    return wait_for(before)
               ? Reply::ok()
               : Reply::refused(Outcome::kFailed, "no collection in time; it may still come");
  }

  Reply run_gc() override {
    ask_for_collection();
    return Reply::ok();
  }

 protected:
  bool prepare() override { return begin_stream(); }
  void begun() override {
    tell_session(text_.c_str());
    tell_threads();
    ask_for_classes();
  }

 private:
  static bool wait_for(std::uint64_t before) {
    constexpr timespec kPause{0, 10'000'000};
    for (int i = 0; i < 500; ++i) {
      if (heaps_taken() != before) return true;
      nanosleep(&kPause, nullptr);
    }
    return false;
  }

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
  facts.runtime = runtime_name();
  facts.agent = "polytrace-mono " POLYTRACE_VERSION;
  g_server = control::start_server(*new MonoHandler(settings().common, facts, g_text), g_config);
}

void stop_server() {
  if (g_server != nullptr) g_server->stop(g_config.drain_ms);
}

}  // namespace polytrace::agent::mono
