// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include <unistd.h>

#include <csignal>

namespace polytrace::cli {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> signal_number{0};
std::atomic<bool> hurried{true};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void ask(int number) {
  signal_number = number;
  stop = true;
  // Who sends one of the others does not look whether we end, and what has no pass cannot notice.
  if (number != SIGINT && hurried) alarm(1);
}

void give_up(int) {
  std::signal(signal_number, SIG_DFL);
  raise(signal_number);
}

bool is_ignored(int number) {
  struct sigaction now{};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
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
  if (!is_ignored(SIGHUP)) sigaction(SIGHUP, &action, nullptr);  // nohup
  std::signal(SIGALRM, give_up);
  std::signal(SIGPIPE, SIG_DFL);
}

void take_time_to_end() {
  hurried = false;
  alarm(0);
}

const std::atomic<bool>& stop_asked() { return stop; }

int stop_signal() { return signal_number; }

}  // namespace polytrace::cli
