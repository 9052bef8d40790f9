// SPDX-License-Identifier: Apache-2.0
#include "cli/record/child.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/codes.hpp"
#include "cli/frame/command_line.hpp"
#include "cli/frame/signals.hpp"

namespace polytrace::cli {
namespace {

constexpr int kNotRun = 127;

std::string name_of_variable(std::string_view assignment) {
  return std::string(assignment.substr(0, assignment.find('=') + 1));
}

// Our environment with the launch's variables in it.
std::vector<char*> environment_of(const Launch& launch) {
  std::vector<char*> all;
  for (char** at = environ; *at != nullptr; ++at) {
    bool replaced = false;
    for (const std::string& own : launch.environment)
      replaced |= std::string_view(*at).starts_with(name_of_variable(own));
    if (!replaced) all.push_back(*at);
  }
  for (const std::string& own : launch.environment) all.push_back(const_cast<char*>(own.c_str()));
  all.push_back(nullptr);
  return all;
}

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// It ends with the process that wants its result: that may be killed.
[[noreturn]] void become(const std::vector<std::string>& words, bool output_to_error,
                         pid_t parent) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
  if (output_to_error) dup2(STDERR_FILENO, STDOUT_FILENO);
  execv(all[0], all.data());
  _exit(kNotRun);
}

}  // namespace

base::result<Child> Child::start(const Launch& launch, bool output_to_error) {
  std::vector<char*> words;
  for (const std::string& word : launch.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output_to_error) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = -1;
  const int error = posix_spawn(&process, words[0], &actions, nullptr, words.data(),
                                environment_of(launch).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return Child(process);
  return base::fail(base::Code::open_failed,
                    fmt::format("{}: {}", launch.words[0], std::strerror(error)));
}

bool Child::ended(Ending& ending) {
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return false;
  ending = ending_of(status);
  return true;
}

void Child::signal(int number) const { kill(process_, number); }

base::result<Ending> run_ourselves(std::vector<std::string> words, bool output_to_error) {
  words.insert(words.begin(), own_path());
  const pid_t before = getpid();
  const pid_t process = fork();
  if (process < 0) return base::system_fault(base::Code::open_failed);
  if (process == 0) become(words, output_to_error, before);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    if (stop_asked()) kill(process, SIGTERM);
  return ending_of(status);
}

}  // namespace polytrace::cli
