// SPDX-License-Identifier: Apache-2.0
#include "server/http/listener.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>

#include "base/codes.hpp"
#include "server/http/faults.hpp"

namespace polytrace::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using Fail = boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr unsigned kMostConnections = 64;
constexpr unsigned kMostRequests = 1000;
constexpr std::uint32_t kMostHead = 32 * 1024;
constexpr std::uint64_t kMostBody = 1 << 20;
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr seconds kIdle{120};
constexpr seconds kReading{10};
constexpr seconds kWriting{30};
constexpr seconds kLingering{2};
constexpr milliseconds kFeeding{250};
constexpr unsigned kFeedsToHeartbeat = 60;  // 15 s

// One connection: its requests one after the other. Kept alive by what it waits for.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Answerer& answerer, std::atomic<unsigned>& count)
      : socket_(std::move(socket)),
        deadline_(socket_.get_executor()),
        feeding_(socket_.get_executor()),
        answerer_(answerer),
        count_(count) {
    ++count_;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    --count_;
    if (stop_) *stop_ = true;
  }

  void wait_for_request() {
    if (buffer_.size() != 0) return read_head();
    end_in(kIdle);
    socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](Fail fail) {
      if (!fail) self->read_head();
    });
  }

 private:
  void end_in(seconds time) {
    deadline_.expires_after(time);
    deadline_.async_wait([self = weak_from_this()](Fail fail) {
      if (const auto here = self.lock(); here && !fail) here->close();
    });
  }
  void close() {
    Fail ignored;
    if (stop_) *stop_ = true;
    deadline_.cancel();
    feeding_.cancel();
    socket_.close(ignored);
  }

  void read_head() {
    end_in(kReading);
    parser_.emplace();
    parser_->header_limit(kMostHead);
    parser_->body_limit(kMostBody);
    beast::http::async_read_header(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](Fail fail, std::size_t) { self->take_head(fail); });
  }
  void take_head(Fail fail) {
    using beast::http::error;
    if (fail == error::header_limit) return refuse(fault_reply(Fault::head_too_large));
    if (fail == error::body_limit) return refuse(fault_reply(Fault::body_too_large));
    const bool is_malformed = fail.category() == make_error_code(error::bad_method).category();
    if (fail && (fail == error::end_of_stream || !is_malformed)) return close();
    if (fail) return refuse(fault_reply(Fault::request_invalid, fail.message()));
    const auto& message = parser_->get();
    request_ = {.method = std::string(message.method_string()),
                .target = std::string(message.target())};
    for (const auto& field : message)
      request_.fields.push_back({std::string(field.name_string()), std::string(field.value())});
    is_head_ = request_.method == "HEAD";
    stays_ = message.keep_alive() && ++requests_ < kMostRequests;
    if (auto refusal = answerer_.refuse(request_)) return refuse(std::move(*refusal));
    beast::http::async_read(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](Fail fault, std::size_t) { self->take_body(fault); });
    end_in(kReading);
  }
  void take_body(Fail fail) {
    if (fail == beast::http::error::body_limit) return refuse(fault_reply(Fault::body_too_large));
    if (fail) return close();
    deadline_.cancel();
    request_.body = std::move(parser_->get().body());
    stop_ = std::make_shared<std::atomic<bool>>(false);
    watch();
    answerer_.answer(std::move(request_), stop_, [self = shared_from_this()](Reply reply) mutable {
      const auto executor = self->socket_.get_executor();
      asio::post(executor, [self = std::move(self), reply = std::move(reply)]() mutable {
        self->begin_reply(std::move(reply));
      });
    });
  }

  // Whether the other side is still there while the answer is made. Bytes of a next request end
  // the watch.
  void watch() {
    socket_.async_wait(tcp::socket::wait_read, [self = weak_from_this(), stop = stop_](Fail fail) {
      const auto here = self.lock();
      if (!here || fail) return;
      char byte = 0;
      if (recv(here->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return;
      *stop = true;
    });
  }

  // Of a request whose body was not read, or is none: nothing can follow it.
  void refuse(Reply reply) {
    stays_ = false;
    begin_reply(std::move(reply));
  }
  void begin_reply(Reply reply) {
    Fail ignored;
    socket_.cancel(ignored);  // the watch
    reply_ = std::move(reply);
    if (reply_.feed) stays_ = false;
    head_ = head_of(reply_, stays_ ? Behind::stay : Behind::close);
    if (is_head_) reply_.body.clear(), reply_.feed = nullptr;
    written_ = 0;
    end_in(kWriting);
    const std::array<asio::const_buffer, 2> first{asio::buffer(head_), next_piece()};
    asio::async_write(socket_, first,
                      [self = shared_from_this()](Fail fail, std::size_t) { self->wrote(fail); });
  }
  asio::const_buffer next_piece() {
    const std::size_t size = std::min(kPiece, reply_.body.size() - written_);
    const asio::const_buffer piece(reply_.body.data() + written_, size);
    written_ += size;
    return piece;
  }
  void wrote(Fail fail) {
    if (fail) return close();
    if (written_ < reply_.body.size()) {
      end_in(kWriting);
      asio::async_write(
          socket_, next_piece(),
          [self = shared_from_this()](Fail fault, std::size_t) { self->wrote(fault); });
      return;
    }
    if (reply_.feed) return begin_feed();
    reply_ = {};
    stop_.reset();
    stays_ ? wait_for_request() : linger();
  }

  void begin_feed() {
    watch();
    feed();
  }
  void feed() {
    std::string news = reply_.feed();
    if (news.empty() && ++quiet_feeds_ >= kFeedsToHeartbeat) news = ": still here\n\n";
    if (news.empty()) return feed_later();
    quiet_feeds_ = 0;
    head_ = fmt::format("{:x}\r\n{}\r\n", news.size(), news);
    end_in(kWriting);
    asio::async_write(socket_, asio::buffer(head_),
                      [self = shared_from_this()](Fail fail, std::size_t) {
                        if (fail) return self->close();
                        self->feed_later();
                      });
  }
  void feed_later() {
    deadline_.cancel();
    if (*stop_) return close();
    feeding_.expires_after(kFeeding);
    feeding_.async_wait([self = shared_from_this()](Fail fail) {
      if (!fail) self->feed();
    });
  }

  // What was not read yet would make the other side lose the reply: it is read for a moment.
  void linger() {
    Fail ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    end_in(kLingering);
    drain();
  }
  void drain() {
    socket_.async_read_some(asio::buffer(waste_),
                            [self = shared_from_this()](Fail fail, std::size_t) {
                              fail ? self->close() : self->drain();
                            });
  }

  tcp::socket socket_;
  asio::steady_timer deadline_;
  asio::steady_timer feeding_;
  Answerer& answerer_;
  std::atomic<unsigned>& count_;  // of connections
  unsigned requests_ = 0;
  unsigned quiet_feeds_ = 0;
  beast::flat_buffer buffer_{kMostHead + kMostBody};
  std::optional<beast::http::request_parser<beast::http::string_body>> parser_;
  Request request_;
  bool is_head_ = false;
  bool stays_ = true;
  Answerer::Stop stop_;
  Reply reply_;
  std::string head_;
  std::size_t written_ = 0;
  std::array<char, 4096> waste_{};
};

class TcpListener final : public Listener {
 public:
  explicit TcpListener(Answerer& answerer) : answerer_(answerer) {}

  base::result<void> bind(std::uint16_t port) {
    Fail fail = try_bind({asio::ip::address_v4::loopback(), port});
    if (fail == asio::error::address_family_not_supported ||
        fail == asio::error::make_error_code(asio::error::basic_errors::network_unreachable) ||
        fail.value() == EADDRNOTAVAIL)
      fail = try_bind({asio::ip::address_v6::loopback(), port});
    if (fail)
      return base::fail(base::Code::open_failed, fmt::format("port {}: {}", port, fail.message()));
    accept();
    return {};
  }
  std::uint16_t port() const override { return acceptor_.local_endpoint().port(); }
  bool is_ipv4() const override { return acceptor_.local_endpoint().address().is_v4(); }
  void run(const std::atomic<bool>& stop) override {
    look_at(stop);
    context_.run();
  }

 private:
  Fail try_bind(const tcp::endpoint& where) {
    Fail fail;
    acceptor_.close(fail);
    acceptor_.open(where.protocol(), fail);
    if (!fail) acceptor_.set_option(tcp::acceptor::reuse_address(true), fail);
    if (!fail) acceptor_.bind(where, fail);
    if (!fail) acceptor_.listen(tcp::acceptor::max_listen_connections, fail);
    return fail;
  }
  void accept() {
    acceptor_.async_accept([this](Fail fail, tcp::socket socket) {
      if (!fail) take(std::move(socket));
      // Out of descriptors: some are free again in a moment.
      if (fail) return accept_later();
      accept();
    });
  }
  void accept_later() {
    again_.expires_after(kFeeding);
    again_.async_wait([this](Fail fail) {
      if (!fail) accept();
    });
  }
  void take(tcp::socket socket) {
    Fail ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    if (connections_ < kMostConnections) {
      std::make_shared<Connection>(std::move(socket), answerer_, connections_)->wait_for_request();
      return;
    }
    const Reply busy = fault_reply(Fault::busy, "64 connections are open");
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(head_of(busy, Behind::close) + busy.body), ignored);
  }
  void look_at(const std::atomic<bool>& stop) {
    if (stop) return context_.stop();
    look_.expires_after(milliseconds(100));
    look_.async_wait([this, &stop](Fail) { look_at(stop); });
  }

  Answerer& answerer_;
  std::atomic<unsigned> connections_ = 0;  // outlives the context, and with it the connections
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer look_{context_};
  asio::steady_timer again_{context_};
};

}  // namespace

base::result<std::unique_ptr<Listener>> Listener::open(std::uint16_t port, Answerer& answerer) {
  auto listener = std::make_unique<TcpListener>(answerer);
  if (auto bound = listener->bind(port); !bound) return base::Unexpected(bound.error());
  return listener;
}

}  // namespace polytrace::server
