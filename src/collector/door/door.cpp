// SPDX-License-Identifier: Apache-2.0
#include "collector/door/door.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "base/wall_clock.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kLongestTarget = 8 * 1024;
constexpr std::size_t kLongestPath = 120;

bool leads(const Route& route, std::string_view path) {
  return route.path.ends_with('/') ? path.starts_with(route.path) : path == route.path;
}

bool takes(const Route& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

bool asks_who(const Route& route) { return route.role || route.who == Route::Who::known; }

class OwnDoor final : public Door, public http::Answerer {
 public:
  OwnDoor(Routes routes, std::string token_file, Figures& figures, Tell tell)
      : routes_(std::move(routes)),
        token_file_(std::move(token_file)),
        figures_(figures),
        tell_(std::move(tell)) {}

  base::result<void> listen(boost::asio::io_context& context, http::ListenOptions options) {
    if (auto read = reload(); !read) return read;
    options.turned_away = [this](std::string_view peer, const std::string& why) {
      note(why.starts_with("TLS") ? Refused::tls : Refused::connections, std::string(peer), why);
    };
    auto listener = http::Listener::open(context, std::move(options), *this);
    if (!listener) return base::Unexpected(listener.error());
    listener_ = std::move(*listener);
    return {};
  }

  std::uint16_t port() const override { return listener_->port(); }
  void close() override { listener_->close(); }
  base::result<void> reload() override {
    if (token_file_.empty()) return {};
    auto book = TokenBook::read(token_file_);
    if (!book) return base::Unexpected(book.error());
    tokens_ = std::move(*book);
    return {};
  }

  std::optional<http::Reply> refuse(const http::Request& head) override {
    const Route* route = nullptr;
    if (auto fault = find(head, route)) return fault;
    if (!asks_who(*route)) return std::nullopt;
    const auto caller = caller_of(head);
    if (!caller) {
      note(Refused::token, head.peer, said(head));
      http::Reply reply = plain(401, "a token that is known, or a certificate, is needed\n");
      reply.fields.push_back({"WWW-Authenticate", "Bearer"});
      return reply;
    }
    if (!route->role || caller->may(*route->role)) return std::nullopt;
    note(Refused::role, caller->name, said(head));
    return plain(403, fmt::format("this needs the role {}\n",
                                  kRoleNames[static_cast<std::size_t>(*route->role)]));
  }
  std::uint64_t most_body(const http::Request& head) const override {
    const Route* route = nullptr;
    return find(head, route) ? 0 : route->most_body;
  }
  http::Reply broken(http::Broken what, std::string_view detail) override {
    if (what != http::Broken::busy) figures_.refuse(Refused::request);
    switch (what) {
      case http::Broken::malformed: return plain(400, fmt::format("{}\n", detail));
      case http::Broken::head_too_large: return plain(431, "the header is larger than 32 KiB\n");
      case http::Broken::body_too_large:
        return plain(413, "the body is larger than what is taken at once: send less at a time\n");
      case http::Broken::busy: break;
    }
    return come_again(503, fmt::format("{}: come again in a second\n", detail), 1);
  }
  void answer(http::Request request, Stop stop, Done done) override {
    const Route* route = nullptr;
    if (auto fault = find(request, route)) return done(std::move(*fault));
    Call call{.request = std::move(request),
              .caller = {},
              .rest = {},
              .done = std::move(done),
              .stop = std::move(stop)};
    if (asks_who(*route)) call.caller = caller_of(call.request).value_or(Caller{});
    call.rest = call.request.path().substr(route->path.size());
    route->answer(std::move(call));
  }

 private:
  // What is wrong with it, or its route.
  std::optional<http::Reply> find(const http::Request& head, const Route*& found) const {
    if (head.target.size() > kLongestTarget) return plain(414, "the first line is too long\n");
    bool is_known = false;
    for (const Route& route : routes_) {
      if (!leads(route, head.path())) continue;
      is_known = true;
      found = &route;
      if (takes(route, head.method)) return std::nullopt;
    }
    if (is_known) return plain(405, "not by that method\n");
    std::string text = "there is no such address; there are";
    for (const Route& route : routes_) text += fmt::format(" {} {}", route.method, route.path);
    return plain(404, text + "\n");
  }

  // A token decides where one is shown, else a certificate.
  std::optional<Caller> caller_of(const http::Request& head) const {
    constexpr std::string_view kBearer = "Bearer ";
    if (!head.all("Authorization").empty()) {
      const std::string_view shown = head.only("Authorization");
      if (!shown.starts_with(kBearer)) return std::nullopt;
      return tokens_.find(shown.substr(kBearer.size()), base::wall_seconds());
    }
    for (const std::string& name : head.names)
      if (auto caller = caller_of_name(name)) return caller;
    return std::nullopt;
  }

  // For the log: what was asked, never with what.
  static std::string said(const http::Request& head) {
    return fmt::format("{} {}", head.method,
                       base::short_name(std::string(head.path()), kLongestPath));
  }
  void note(Refused why, const std::string& who, const std::string& text) {
    figures_.refuse(why);
    tell_({Weight::warning, "refused", who, 0, fmt::format("{}: {}", text_of(why), text)});
  }

  const Routes routes_;
  const std::string token_file_;
  Figures& figures_;
  Tell tell_;
  TokenBook tokens_;
  std::unique_ptr<http::Listener> listener_;
};

}  // namespace

http::Reply plain(unsigned status, std::string text) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = std::move(text)};
}

http::Reply come_again(unsigned status, std::string text, unsigned seconds) {
  http::Reply reply = plain(status, std::move(text));
  reply.fields.push_back({"Retry-After", fmt::to_string(seconds)});
  return reply;
}

base::result<std::unique_ptr<Door>> Door::open(boost::asio::io_context& context,
                                               DoorOptions options, Routes routes, Figures& figures,
                                               Tell tell) {
  auto door = std::make_unique<OwnDoor>(std::move(routes), std::move(options.token_file), figures,
                                        std::move(tell));
  if (auto listening = door->listen(context, std::move(options.listen)); !listening)
    return base::Unexpected(listening.error());
  return door;
}

}  // namespace polytrace::collector
