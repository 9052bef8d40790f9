// SPDX-License-Identifier: Apache-2.0
#include "agent/control/dialer.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>

namespace polytrace::agent::control {
namespace {

std::atomic<int> g_of_parent{-1};

void close_of_parent() {
  const int socket = g_of_parent.exchange(-1);
  if (socket >= 0) close(socket);
}

bool parse_port(std::string_view text, std::uint16_t& port) {
  const char* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, port);
  return fault == std::errc() && at == end && port != 0;
}

}  // namespace

std::uint64_t Backoff::next() {
  constexpr std::uint64_t kMost = 60'000;
  wait_ = wait_ == 0 ? first_ : std::min(wait_ * 2, kMost);
  // Not the C library's: its numbers are the program's.
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return wait_ * 4 / 5 + random_ % (wait_ * 2 / 5 + 1);
}

base::result<Dialer> Dialer::to(const std::string& address, Backoff backoff) {
  constexpr std::string_view kTcp = "tcp:";
  constexpr std::string_view kLoopback = "tcp:127.0.0.1:";
  Dialer dialer;
  dialer.address_ = address;
  dialer.backoff_ = backoff;
  const bool tcp = address.starts_with(kTcp);
  if (tcp && (!address.starts_with(kLoopback) ||
              !parse_port(std::string_view(address).substr(kLoopback.size()), dialer.port_)))
    return refusal("connect=" + address + ": a path, or tcp:127.0.0.1:PORT");
  if (!tcp && address.size() > kLongestPath)
    return refusal(address + ": a socket's path has 1 to 107 bytes");
  return dialer;
}

Descriptor Dialer::dial(std::uint64_t now) {
  auto socket = tcp() ? dial_loopback(port_) : connect_unix(address_);
  if (!socket || (!tcp() && !is_trusted_peer(socket->get()))) {
    lost(now);
    return {};
  }
  return std::move(*socket);
}

void close_in_children(int socket) {
  static const int watched = pthread_atfork(nullptr, nullptr, &close_of_parent);
  if (watched == 0) g_of_parent = socket;
}

}  // namespace polytrace::agent::control
