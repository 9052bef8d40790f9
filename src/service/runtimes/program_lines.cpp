// SPDX-License-Identifier: Apache-2.0
#include "service/runtimes/program_lines.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace polytrace::service {
namespace {

void read_lines(int input, std::vector<std::string>& lines) {
  std::FILE* const file = fdopen(input, "r");
  char* line = nullptr;
  std::size_t room = 0;
  while (getline(&line, &room, file) >= 0) {
    lines.emplace_back(line);
    while (!lines.back().empty() && lines.back().back() == '\n') lines.back().pop_back();
  }
  std::free(line);
  std::fclose(file);
}

}  // namespace

std::vector<std::string> program_lines(const std::vector<std::string>& words) {
  std::vector<std::string> lines;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return lines;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  read_lines(ends[0], lines);
  if (error == 0) waitpid(child, nullptr, 0);
  return lines;
}

}  // namespace polytrace::service
