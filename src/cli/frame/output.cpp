// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/output.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/codes.hpp"
#include "service/words/environment.hpp"

namespace polytrace::cli {
namespace {

// What the user set; nothing where there is no such variable.
std::optional<std::string> chosen_pager() {
  for (const char* name : {"POLYTRACE_PAGER", "PAGER"})
    if (const char* const value = std::getenv(name)) return value;
  return std::nullopt;
}

pid_t spawn(const char* program, char* const* words, int input) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, program, &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : 0;
}

pid_t spawn_pager(const std::optional<std::string>& chosen, int input) {
  // -F: end where all fits; -R: styles; -X: what was shown stays.
  std::string program = "less", option = "-FRX", line = chosen.value_or("");
  if (!chosen) {
    std::array<char*, 3> words{program.data(), option.data(), nullptr};
    return spawn(program.c_str(), words.data(), input);
  }
  setenv("LESS", "FRX", 0);  // a user's own options stand
  program = "/bin/sh", option = "-c";
  std::array<char*, 4> words{program.data(), option.data(), line.data(), nullptr};
  return spawn(program.c_str(), words.data(), input);
}

void restore(int& saved, int to) {
  if (saved < 0) return;
  dup2(saved, to);
  close(saved);
  saved = -1;
}

}  // namespace

Output::Output(int fd) : fd_(fd) {
  if (isatty(fd) == 1) door_.emplace(base::TerminalDoor::Styles::kept);
}

bool Output::flush() {
  if (door_) {
    text_ = door_->pass(text_);
    text_ += door_->finish();
  }
  std::string_view rest = text_;
  while (!rest.empty() && !fault_) {
    const ssize_t put = ::write(fd_, rest.data(), rest.size());
    if (put >= 0) rest.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EINTR)
      fault_ = base::Error{base::Code::write_failed, {}, std::strerror(errno)};
  }
  text_.clear();
  return !fault_;
}

void Pager::begin() {
  if (child_ != 0 || isatty(STDOUT_FILENO) != 1) return;
  const auto terminal = service::variable("TERM");
  const auto chosen = chosen_pager();
  if (terminal.empty() || terminal == "dumb" || chosen == "" || chosen == "cat") return;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  child_ = spawn_pager(chosen, ends[0]);
  close(ends[0]);
  if (child_ != 0) {
    output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(ends[1], STDOUT_FILENO);
    if (isatty(STDERR_FILENO) == 1) {
      error_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
      dup2(ends[1], STDERR_FILENO);
    }
  }
  close(ends[1]);
}

void Pager::end() {
  if (child_ == 0) return;
  restore(output_, STDOUT_FILENO);
  restore(error_, STDERR_FILENO);
  // Ctrl-C is the pager's by now: without us it would be left with the terminal.
  std::signal(SIGINT, SIG_IGN);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
}

void print(std::string_view text) {
  Output out(STDERR_FILENO);
  out.text() = text;
  out.flush();
}

void print_live(std::string_view line) {
  if (service::variable("TERM") == "dumb") return;  // which takes no line back
  const std::string text = "\r" + base::printable(line) + "\x1b[K";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace polytrace::cli
