// SPDX-License-Identifier: Apache-2.0
#include "agent/common/tools/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <string_view>
#include <vector>

namespace polytrace::agent {
namespace {

// What a child shall not inherit from a process that ignores and blocks what it likes.
struct Attributes {
  posix_spawnattr_t attributes;

  Attributes() {
    posix_spawnattr_init(&attributes);
    sigset_t set;
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
};

struct Actions {
  posix_spawn_file_actions_t actions;

  explicit Actions(const ChildFiles& files) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, files.input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, files.output, STDOUT_FILENO);
    if (files.errors >= 0) posix_spawn_file_actions_adddup2(&actions, files.errors, STDERR_FILENO);
    else posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int last = STDERR_FILENO;
    if (files.extra >= 0) posix_spawn_file_actions_adddup2(&actions, files.extra, ++last);
    posix_spawn_file_actions_addclosefrom_np(&actions, last + 1);
  }
  ~Actions() { posix_spawn_file_actions_destroy(&actions); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
};

// Ours, without what would load an agent into the child.
std::vector<char*> environment_of_child() {
  static char off[] = "POLYTRACE_AGENT=off";
  std::vector<char*> all;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    if (!entry.starts_with("LD_PRELOAD=") && !entry.starts_with("POLYTRACE_AGENT="))
      all.push_back(*at);
  }
  all.push_back(off);
  all.push_back(nullptr);
  return all;
}

}  // namespace

int start_child(std::span<const std::string> words, const ChildFiles& files, pid_t& process) {
  const Attributes attributes;
  const Actions actions(files);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> environment = environment_of_child();
  return posix_spawn(&process, arguments[0], &actions.actions, &attributes.attributes,
                     arguments.data(), environment.data());
}

}  // namespace polytrace::agent
