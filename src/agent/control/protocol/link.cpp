// SPDX-License-Identifier: Apache-2.0
#include "agent/control/protocol/link.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace polytrace::agent::control {
namespace {

bool is_passing(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Link::Got Link::receive(Bytes& into) {
  std::array<std::uint8_t, 64U << 10> bytes;
  const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (got == 0) return Got::end;
  if (got < 0) return is_passing(errno) ? Got::nothing : Got::broken;
  into.insert(into.end(), bytes.begin(), bytes.begin() + got);
  return Got::bytes;
}

void Link::queue(std::string_view text) {
  queue(View(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

bool Link::flush(bool& moved) {
  while (waiting() > 0) {
    const ssize_t sent = send(socket_.get(), out_.data() + sent_, waiting(), MSG_NOSIGNAL);
    if (sent < 0) return is_passing(errno);
    sent_ += static_cast<std::size_t>(sent);
    moved = true;
  }
  out_.clear();
  sent_ = 0;
  return true;
}

}  // namespace polytrace::agent::control
