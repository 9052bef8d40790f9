// SPDX-License-Identifier: Apache-2.0
#include "agent/control/runtime_handler.hpp"

#include <cstdio>
#include <string>

#include "agent/common/runtime/note.hpp"
#include "agent/control/recorder_handler.hpp"
#include "agent/control/server.hpp"

namespace polytrace::agent::control {
namespace {

class RuntimeHandler final : public RecorderHandler {
 public:
  RuntimeHandler(Options options, const Runtime& runtime)
      : RecorderHandler(std::move(options), runtime.facts()), runtime_(runtime) {}

  Reply heap_dump(std::string_view name) override {
    if (!is_recording()) return Reply::refused(Outcome::wrong_state, "does not run");
    return runtime_.heap_dump(name);
  }
  Reply run_gc() override { return runtime_.run_gc(); }

 protected:
  bool prepare() override { return runtime_.prepare(); }
  void begun() override { runtime_.begun(); }

 private:
  Runtime runtime_;
};

ServerConfig g_config;
Server* g_server = nullptr;

}  // namespace

void prepare_server(Options& options, Faults& faults) { g_config = server_config(options, faults); }

// Handler and server live for ever, since the server's thread may outlast a deadline.
void start_server(const Options& options, const Runtime& runtime) {
  if (!g_config.wanted()) return;
  auto* const server = new Server(*new RuntimeHandler(options, runtime), g_config);
  const auto opened = server->open();
  if (opened && server->start()) {
    g_server = server;
    return;
  }
  std::fprintf(stderr, "polytrace: no commands are taken: %s\n",
               opened ? "" : opened.error().detail.c_str());
}

void stop_server() {
  if (g_server != nullptr) g_server->stop(g_config.drain_ms);
}

}  // namespace polytrace::agent::control
