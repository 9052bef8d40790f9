// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include <csignal>

namespace polytrace::cli {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> signal_number{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void ask(int number) {
  signal_number = number;
  stop = true;
}

}  // namespace

void watch_signals() {
  struct sigaction action{};
  action.sa_handler = ask;
  // No SA_RESTART: a read that waits shall notice. The second time the default action kills.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
}

const std::atomic<bool>& stop_asked() { return stop; }

int stop_signal() { return signal_number; }

}  // namespace polytrace::cli
