// SPDX-License-Identifier: Apache-2.0
#include "agent/control/converter.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace polytrace::agent::control {
namespace {

// Both ends of a socket; ours does not block. Sockets rather than pipes: a write to a child that
// died must not raise SIGPIPE in somebody else's program.
struct Pair {
  Descriptor ours, theirs;
};

bool make_pair(Pair& pair) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  pair.ours = Descriptor(ends[0]);
  pair.theirs = Descriptor(ends[1]);
  return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

// The child's signals are those of a fresh program, whatever this thread has blocked.
void set_signals(posix_spawnattr_t& attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

pid_t spawn(const std::string& program, StreamFormat format, int input, int output, int& error) {
  const std::string target(converter_name(format));
  const std::array<const char*, 9> words = {
      program.c_str(), "convert", "-", "--to", target.c_str(), "-o", "-", "--quiet", nullptr};
  std::array<const char*, 3> environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // The program around us may have files and ports that a child must not keep open.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  set_signals(attributes);
  pid_t process = -1;
  error = posix_spawn(&process, program.c_str(), &actions, &attributes,
                      const_cast<char**>(words.data()), const_cast<char**>(environment.data()));
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? process : -1;
}

}  // namespace

Converter::~Converter() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Converter::start(const std::string& program, StreamFormat format, std::string& why) {
  Pair in, out;
  int error = ENOENT;
  if (!program.empty() && make_pair(in) && make_pair(out))
    process_ = spawn(program, format, in.theirs.get(), out.theirs.get(), error);
  if (process_ <= 0) {
    why = program + ": cannot be run: " + std::strerror(error);
    return false;
  }
  input_ = std::move(in.ours);
  output_ = std::move(out.ours);
  return true;
}

std::size_t Converter::feed(std::span<const std::uint8_t> bytes) {
  if (!input_) return 0;
  const ssize_t sent = send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) input_.close();
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

std::size_t Converter::take(std::span<std::uint8_t> into, bool& ended) {
  const ssize_t got = output_ ? recv(output_.get(), into.data(), into.size(), 0) : 0;
  ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  if (ended) output_.close();
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool Converter::has_output() const {
  int waiting = 0;
  return output_ && ioctl(output_.get(), FIONREAD, &waiting) == 0 && waiting > 0;
}

}  // namespace polytrace::agent::control
