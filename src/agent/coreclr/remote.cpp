// SPDX-License-Identifier: Apache-2.0
// Commands from outside, on the server's own thread, which runs no managed code: it may ask the
// runtime for names and for collections.
#include <cstdio>

#include "agent/control/recorder_handler.hpp"
#include "agent/coreclr/callbacks.hpp"
#include "agent/coreclr/definitions.hpp"
#include "agent/coreclr/runtime.hpp"
#include "agent/coreclr/session.hpp"
#include "agent/coreclr/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

using control::Outcome;
using control::Reply;

class CoreClrHandler final : public control::RecorderHandler {
 public:
  CoreClrHandler(Options options, control::Facts facts, std::string text)
      : RecorderHandler(std::move(options), std::move(facts)), text_(std::move(text)) {}

  Reply start(const control::StartRequest& request) override {
    const bool is_new = state() == control::State::kIdle;
    if (is_new && !begin_stream())
      return Reply::refused(Outcome::kFailed, "too many recordings of one process");
    const Reply reply = RecorderHandler::start(request);
    if (is_new && reply.outcome == Outcome::kOk) {
      tell_session(text_.c_str());
      tell_threads();
      tell_loaded();
      tell_methods();
    }
    return reply;
  }

  Reply run_gc() override {
    if (ask(info::kForceGC)) return Reply::ok();
    return Reply::refused(Outcome::kFailed, "the runtime does not collect now");
  }

  Reply annotate(std::string_view text) override {
    define(event::Note{text}, base::kNoId);
    return Reply::ok();
  }

 private:
  std::string text_;
};

// Both live for ever: the server's thread may outlast a deadline.
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
  control::Facts facts{
      ".NET " + runtime_version(), "polytrace-coreclr " POLYTRACE_VERSION, "monotonic", {}};
  auto& handler = *new CoreClrHandler(settings().common, facts, g_text);
  g_server = new control::Server(handler, g_config);
  std::string why;
  if (g_server->open(why) && g_server->start()) return;
  std::fprintf(stderr, "polytrace: no commands are taken: %s\n", why.c_str());
  g_server = nullptr;
}

void stop_server() {
  constexpr std::uint32_t kDrain = 2000;
  if (g_server != nullptr) g_server->stop(kDrain);
}

}  // namespace polytrace::agent::coreclr
