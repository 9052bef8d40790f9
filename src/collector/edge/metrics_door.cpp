// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/metrics_door.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

namespace web = boost::beast::http;
using Tcp = boost::asio::ip::tcp;
using WebFault = boost::system::error_code;

constexpr std::chrono::seconds kWebPatience{5};
constexpr std::chrono::seconds kPiecePatience{60};
constexpr std::chrono::milliseconds kWebLater{250};
constexpr std::uint32_t kMostWebHead = 8 * 1024;
constexpr unsigned kMostWatchers = 16;

struct WebAnswer {
  web::status status = web::status::ok;
  std::string text{};
  std::string gone{};
  std::string_view type = "text/plain; version=0.0.4; charset=utf-8";
};

WebAnswer answer_to(std::string_view path, const Figures& figures) {
  if (path == "/metrics") return {web::status::ok, metrics_text(figures)};
  if (path == "/healthz") return {web::status::ok, "ok\n"};
  if (path != "/readyz")
    return {web::status::not_found, "/metrics, /healthz, /readyz, /v1/traces/\n"};
  if (!figures.spool_works)
    return {web::status::service_unavailable, "the spool cannot be written\n"};
  if (!figures.outbox_has_room)
    return {web::status::service_unavailable, "the outbox takes nothing\n"};
  return {web::status::ok, "ok\n"};
}

// One request, one answer.
class Watcher final : public std::enable_shared_from_this<Watcher> {
 public:
  Watcher(Tcp::socket socket, const Figures& figures, PieceDesk& desk,
          std::shared_ptr<unsigned> count)
      : socket_(std::move(socket)),
        patience_(socket_.get_executor()),
        figures_(figures),
        desk_(desk),
        count_(std::move(count)) {
    ++*count_;
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() { --*count_; }

  void read() {
    wait_at_most(kWebPatience);
    parser_.header_limit(kMostWebHead);
    web::async_read_header(socket_, buffer_, parser_,
                           [self = shared_from_this()](WebFault fault, std::size_t) {
                             if (!fault) self->answer();
                           });
  }

 private:
  void wait_at_most(std::chrono::seconds patience) {
    patience_.expires_after(patience);
    patience_.async_wait([self = weak_from_this()](WebFault fault) {
      WebFault ignored;
      if (const auto here = self.lock(); here && !fault) here->socket_.close(ignored);
    });
  }
  void answer() {
    const auto& request = parser_.get();
    const auto method = request.method();
    const std::string_view target = request.target();
    if (method != web::verb::get && method != web::verb::head)
      return write({web::status::method_not_allowed, "GET\n"});
    if (method != web::verb::get || !PieceDesk::is_for_it(target))
      return write(answer_to(target, figures_));
    wait_at_most(kPiecePatience);
    const std::string_view authorization = request[web::field::authorization];
    desk_.ask(target, authorization, [self = shared_from_this()](PieceDesk::Answer&& answer) {
      boost::asio::post(self->socket_.get_executor(), [self, answer = std::move(answer)]() mutable {
        self->write({web::status(answer.status), std::move(answer.text), std::move(answer.gone),
                     answer.status == 200 ? "application/octet-stream" : "text/plain"});
      });
    });
  }
  void write(WebAnswer answer) {
    response_.result(answer.status);
    response_.set(web::field::content_type, answer.type);
    if (answer.status == web::status::unauthorized)
      response_.set(web::field::www_authenticate, "Bearer");
    if (!answer.gone.empty()) response_.set("Polytrace-Gone", answer.gone);
    response_.keep_alive(false);
    response_.content_length(answer.text.size());
    if (parser_.get().method() != web::verb::head) response_.body() = std::move(answer.text);
    web::async_write(socket_, response_, [self = shared_from_this()](WebFault, std::size_t) {
      WebFault ignored;
      self->socket_.shutdown(Tcp::socket::shutdown_both, ignored);
      self->patience_.cancel();
    });
  }

  Tcp::socket socket_;
  boost::asio::steady_timer patience_;
  const Figures& figures_;
  PieceDesk& desk_;
  std::shared_ptr<unsigned> count_;  // of watchers
  boost::beast::flat_buffer buffer_{kMostWebHead};
  web::request_parser<web::empty_body> parser_;
  web::response<web::string_body> response_;
};

class WatchedPort final : public MetricsDoor {
 public:
  WatchedPort(boost::asio::io_context& context, const Figures& figures, PieceDesk& desk)
      : figures_(figures), desk_(desk), acceptor_(context), again_(context) {}

  base::result<void> listen(std::uint16_t port) {
    WebFault fault;
    const Tcp::endpoint place{boost::asio::ip::address_v4::loopback(), port};
    acceptor_.open(place.protocol(), fault);
    if (!fault) acceptor_.set_option(Tcp::acceptor::reuse_address(true), fault);
    if (!fault) acceptor_.bind(place, fault);
    if (!fault) acceptor_.listen(Tcp::acceptor::max_listen_connections, fault);
    if (fault)
      return base::fail(base::Code::open_failed,
                        fmt::format("metrics on 127.0.0.1:{}: {}", port, fault.message()));
    accept();
    return {};
  }
  std::uint16_t port() const override {
    WebFault ignored;
    return acceptor_.local_endpoint(ignored).port();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](WebFault fault, Tcp::socket socket) {
      if (fault == boost::asio::error::operation_aborted) return;
      if (fault) return accept_later();
      if (*count_ < kMostWatchers)
        std::make_shared<Watcher>(std::move(socket), figures_, desk_, count_)->read();
      accept();
    });
  }
  void accept_later() {
    again_.expires_after(kWebLater);
    again_.async_wait([this](WebFault fault) {
      if (!fault) accept();
    });
  }

  const Figures& figures_;
  PieceDesk& desk_;
  Tcp::acceptor acceptor_;
  boost::asio::steady_timer again_;
  std::shared_ptr<unsigned> count_ = std::make_shared<unsigned>(0);
};

}  // namespace

base::result<std::unique_ptr<MetricsDoor>> MetricsDoor::open(boost::asio::io_context& context,
                                                             std::uint16_t port,
                                                             const Figures& figures,
                                                             PieceDesk& desk) {
  auto door = std::make_unique<WatchedPort>(context, figures, desk);
  if (auto listening = door->listen(port); !listening) return base::Unexpected(listening.error());
  return door;
}

}  // namespace polytrace::collector
