// SPDX-License-Identifier: Apache-2.0
#include "agent/control/converter.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "agent/common/tools/child.hpp"

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
  const std::string words[] = {
      program, "convert", "-", "--to", std::string(converter_name(format)), "-o", "-", "--quiet"};
  if (!program.empty() && make_pair(in) && make_pair(out))
    error = start_child(words, {in.theirs.get(), out.theirs.get()}, process_);
  if (error != 0) {
    process_ = -1;
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
