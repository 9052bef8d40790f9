// SPDX-License-Identifier: Apache-2.0
// One door for all that is asked of the collector over HTTP: a table of routes, and who may go
// them. Whoever offers something hands in rows before the door is opened:
//
//   Routes routes;
//   routes.push_back({.method = "POST",
//                     .path = "/v1development/profiles",     // one path; "/v1/rows/": all below it
//                     .role = Role::push,                    // none: whoever reaches the door
//                     .most_body = std::uint64_t{16} << 20,  // bytes; more is answered 413
//                     .answer = [&desk](Call call) { desk.take(std::move(call)); }});
//   auto door = Door::open(context, options, std::move(routes), figures, tell);
//
// Handlers are called by the context's thread, which waits for them: what takes long goes on
// elsewhere and calls `call.done` once, from any thread, while the context lives. A call's caller
// is who showed a token with the role, or a certificate; its tenant is the one whose rows it may
// write. What is wrong is answered in a line of plain text: plain(status, "words\n").
#pragma once

#include <mutex>

#include "collector/door/tokens.hpp"
#include "collector/flow/figures.hpp"
#include "http/listener.hpp"

namespace polytrace::collector {

// One request on its way.
struct Call {
  http::Request request;
  Caller caller;     // of a route without a role: nobody
  std::string rest;  // of the path, behind that of the route
  http::Answerer::Done done;
  http::Answerer::Stop stop{};  // becomes true when nobody waits any more; null: nobody tells
};

struct Route {
  std::string method;  // GET answers HEAD, too
  std::string path;
  std::optional<Role> role{};
  std::uint64_t most_body = 0;
  std::function<void(Call)> answer;
  // Without a role. known: a caller who is known, whatever the roles: the handler looks at them.
  enum class Who : std::uint8_t { anybody, known };
  Who who = Who::anybody;
};
using Routes = std::vector<Route>;

http::Reply plain(unsigned status, std::string text);
// The same to who should try again after so many seconds.
http::Reply come_again(unsigned status, std::string text, unsigned seconds);

struct DoorOptions {
  http::ListenOptions listen;
  std::string token_file{};  // empty: there are no tokens
};

class Door {
 public:
  // Errors: open_failed (port, certificate, tokens), usage (tokens).
  static base::result<std::unique_ptr<Door>> open(boost::asio::io_context& context,
                                                  DoorOptions options, Routes routes,
                                                  Figures& figures, Tell tell);
  virtual ~Door() = default;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  virtual std::uint16_t port() const = 0;
  // The file of tokens anew; where it cannot be read, those that were known stay. Errors as above.
  virtual base::result<void> reload() = 0;
  // Nobody else comes in.
  virtual void close() = 0;

 protected:
  Door() = default;
};

}  // namespace polytrace::collector
