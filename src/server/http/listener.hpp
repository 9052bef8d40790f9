// SPDX-License-Identifier: Apache-2.0
// The server's sockets: loopback only, one thread. Knows nothing of traces. Limits: a first line of
// 8 KiB, a header of 32 KiB, a body of 1 MiB, 64 connections, 1000 requests of each; a header and a
// body take 10 s each, an idle connection is closed after 120 s, a reader that stands still after
// 30 s.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "server/http/messages.hpp"

namespace polytrace::server {

// Who answers. Called by the listener's thread, which waits for it: what takes long is done by
// others.
class Answerer {
 public:
  Answerer() = default;
  Answerer(const Answerer&) = delete;
  Answerer& operator=(const Answerer&) = delete;
  virtual ~Answerer() = default;

  // Of a header alone: why it is refused; nothing where its body is to be read.
  virtual std::optional<Reply> refuse(const Request& head) = 0;
  // `stop` becomes true when nobody waits any more. `done` is called once, by any thread.
  using Stop = std::shared_ptr<std::atomic<bool>>;
  using Done = std::function<void(Reply)>;
  virtual void answer(Request request, Stop stop, Done done) = 0;
};

class Listener {
 public:
  // On 127.0.0.1, on ::1 where there is no IPv4. Port 0: any that is free. `answerer` outlives
  // it. Errors: open_failed.
  static base::result<std::unique_ptr<Listener>> open(std::uint16_t port, Answerer& answerer);
  virtual ~Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  virtual std::uint16_t port() const = 0;
  virtual bool is_ipv4() const = 0;
  // Serves until `stop` is true, which is looked at ten times a second.
  virtual void run(const std::atomic<bool>& stop) = 0;

 protected:
  Listener() = default;
};

}  // namespace polytrace::server
