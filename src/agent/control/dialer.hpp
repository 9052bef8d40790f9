// SPDX-License-Identifier: Apache-2.0
// An agent that dials a collector: where, and when it tries again. Server's thread only. Nothing
// here waits, and that nobody answers is no fault: the recording goes on in its file.
#pragma once

#include <cstdint>
#include <string>

#include "agent/control/protocol/endpoint.hpp"
#include "base/result.hpp"

namespace polytrace::agent::control {

// Milliseconds until the next attempt: `first`, doubled each time up to 60 s, and up to a fifth
// less or more, so that many programs do not come at once.
class Backoff {
 public:
  Backoff(std::uint64_t seed, std::uint32_t first) : random_(seed | 1), first_(first) {}
  std::uint64_t next();
  void reset() { wait_ = 0; }

 private:
  std::uint64_t random_;
  std::uint64_t first_;
  std::uint64_t wait_ = 0;
};

class Dialer {
 public:
  // Neither dials nor listens.
  Dialer() = default;
  // `address`: a socket's path, or tcp:127.0.0.1:PORT. Fails where it can be neither.
  static base::result<Dialer> to(const std::string& address, Backoff backoff);

  bool wanted() const { return !address_.empty(); }
  bool tcp() const { return port_ != 0; }
  // To be called when no connection is there. A connection that may still be on its way; none where
  // nobody answers, or somebody whom we do not trust: then it is due later.
  Descriptor dial(std::uint64_t now);
  bool due(std::uint64_t now) const { return now >= due_; }
  std::uint64_t due_at() const { return due_; }
  // The collector greeted.
  void answered() { backoff_.reset(); }
  // The connection has ended.
  void lost(std::uint64_t now) { due_ = now + backoff_.next(); }

 private:
  std::string address_;
  std::uint16_t port_ = 0;  // 0: a path
  std::uint64_t due_ = 0;
  Backoff backoff_{0, 0};
};

// The connection that a child of this process, made by fork(), closes: the collector would else
// not learn that this process has ended. -1: none.
void close_in_children(int socket);

}  // namespace polytrace::agent::control
