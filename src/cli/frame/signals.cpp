// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/signals.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstring>

namespace polytrace::cli {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> signal_number{0};
std::atomic<bool> hurried{true};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// Those that have come, a bit each.
std::atomic<std::uint64_t> asked{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
char folder_to_remove[PATH_MAX];

struct FolderEntry {  // as the kernel writes it
  std::uint64_t inode;
  std::int64_t next;
  unsigned short length;
  unsigned char type;
  char name[1];
};

// Only calls that signal handlers may make: no opendir(), no allocation.
void remove_folder() {
  alignas(FolderEntry) char entries[4096];
  const int folder = open(folder_to_remove, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  long bytes = 0;
  while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const FolderEntry*>(entries + at);
      unlinkat(folder, entry->name, 0);  // "." and ".." refuse
      at += entry->length;
    }
  close(folder);
  rmdir(folder_to_remove);
}

void end_now(int number) {
  if (folder_to_remove[0] != '\0') remove_folder();
  std::signal(number, SIG_DFL);
  raise(number);
}

void ask(int number) {
  const std::uint64_t bit = std::uint64_t{1} << number;
  if ((asked.fetch_or(bit) & bit) != 0) return end_now(number);
  signal_number = number;
  stop = true;
  // Who sends one of the others does not look whether we end, and what has no pass cannot notice.
  if (number != SIGINT && hurried) alarm(1);
}

void give_up(int) { end_now(signal_number); }

bool is_ignored(int number) {
  struct sigaction now{};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

void watch_signals() {
  struct sigaction action{};
  action.sa_handler = ask;
  action.sa_flags = 0;  // no SA_RESTART: a read that waits shall notice
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

void remove_if_killed(const std::string& folder) {
  folder_to_remove[0] = '\0';
  if (folder.empty() || folder.size() >= sizeof folder_to_remove) return;
  std::memcpy(folder_to_remove + 1, folder.data() + 1, folder.size());
  std::atomic_signal_fence(std::memory_order_release);
  folder_to_remove[0] = folder[0];
}

const std::atomic<bool>& stop_asked() { return stop; }

void forget_stop() {
  if (signal_number != SIGINT) return;
  signal_number = 0;
  stop = false;
  asked = 0;
}

int stop_signal() { return signal_number; }

}  // namespace polytrace::cli
