// SPDX-License-Identifier: Apache-2.0
// Sockets that speak HTTP/1.1, plain on this machine's loopback or over TLS 1.3 anywhere; one
// thread, that of the context. Knows nothing of what is asked: an Answerer does. Limits: a first
// line of 8 KiB with what the answerer says of it, a header of 32 KiB, 1000 requests of a
// connection; a handshake and a header take 10 s each, an idle connection is closed after 120 s, a
// reader that stands still after 30 s. The rest is told by the options.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "http/messages.hpp"

namespace boost::asio {
class io_context;
}

namespace polytrace::http {

// What a request is refused for before anybody has seen it.
enum class Broken : std::uint8_t { malformed, head_too_large, body_too_large, busy };

// Who answers. Called by the context's thread, which waits for it: what takes long is done by
// others.
class Answerer {
 public:
  Answerer() = default;
  Answerer(const Answerer&) = delete;
  Answerer& operator=(const Answerer&) = delete;
  virtual ~Answerer() = default;

  // Of a header alone: why it is refused; nothing where its body is to be read.
  virtual std::optional<Reply> refuse(const Request& head) = 0;
  // Bytes that the body of such a request may have.
  virtual std::uint64_t most_body(const Request& head) const = 0;
  virtual Reply broken(Broken what, std::string_view detail) = 0;
  // `stop` becomes true when nobody waits any more, as far as that can be seen. `done` is called
  // once, by any thread, as long as the context lives.
  using Stop = std::shared_ptr<std::atomic<bool>>;
  using Done = std::function<void(Reply)>;
  virtual void answer(Request request, Stop stop, Done done) = 0;
};

// Files in PEM. With `ca` whoever shows a certificate must show one of it; who shows none has no
// names.
struct TlsFiles {
  std::string certificate{};  // empty: no TLS
  std::string key{};
  std::string ca{};
};

struct ListenOptions {
  std::string address{};   // empty: 127.0.0.1, ::1 where there is no IPv4
  std::uint16_t port = 0;  // 0: any that is free
  TlsFiles tls{};
  unsigned most_connections = 64;
  std::chrono::seconds reading{10};  // a body takes at most
  // Of who never came as far as a request: the address, and why. No secret is in it.
  std::function<void(std::string_view peer, const std::string& why)> turned_away{};
};

class Listener {
 public:
  // `answerer` outlives it, `context` outlives both. Errors: open_failed, also where plain HTTP
  // would be heard outside of this machine.
  static base::result<std::unique_ptr<Listener>> open(boost::asio::io_context& context,
                                                      ListenOptions options, Answerer& answerer);
  virtual ~Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  virtual std::uint16_t port() const = 0;
  virtual bool is_ipv4() const = 0;
  // Nobody else is let in; who is there goes on.
  virtual void close() = 0;

 protected:
  Listener() = default;
};

// Serves until `stop` is true, which is looked at ten times a second.
void run_until(boost::asio::io_context& context, const std::atomic<bool>& stop);

}  // namespace polytrace::http
