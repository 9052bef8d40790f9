// SPDX-License-Identifier: Apache-2.0
// One connection of a listener, on a plain socket or one of TLS: its requests one after the other.
// Kept alive by what it waits for.
#pragma once

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/channel_impl.hpp"
#include "http/listener.hpp"
#include "http/tls.hpp"

namespace polytrace::http {

using PlainSocket = boost::asio::ip::tcp::socket;
using TlsSocket = boost::asio::ssl::stream<PlainSocket>;

// What all connections of a listener share. Outlives the listener where a connection does.
struct Shared {
  Shared(Answerer& who, ListenOptions how) : answerer(who), options(std::move(how)) {}

  Answerer& answerer;
  ListenOptions options;
  std::shared_ptr<boost::asio::ssl::context> tls{};
  std::atomic<unsigned> connections = 0;  // the last hold on one may be anybody's
};

template <class Socket>
class Connection final : public std::enable_shared_from_this<Connection<Socket>> {
  using Fail = boost::system::error_code;
  using Seconds = std::chrono::seconds;
  static constexpr bool kTls = std::same_as<Socket, TlsSocket>;
  static constexpr unsigned kMostRequests = 1000;
  static constexpr std::uint32_t kMostHead = 32 * 1024;
  static constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  static constexpr Seconds kIdle{120};
  static constexpr Seconds kHead{10};
  static constexpr Seconds kWriting{30};
  static constexpr Seconds kLingering{2};
  static constexpr std::chrono::milliseconds kFeeding{250};
  static constexpr unsigned kFeedsToHeartbeat = 60;  // 15 s

 public:
  Connection(Socket socket, std::string peer, std::shared_ptr<Shared> shared)
      : socket_(std::move(socket)),
        peer_(std::move(peer)),
        deadline_(socket_.get_executor()),
        feeding_(socket_.get_executor()),
        shared_(std::move(shared)) {
    ++shared_->connections;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    --shared_->connections;
    if (stop_) *stop_ = true;
  }

  void begin() {
    if constexpr (kTls) {
      end_in(kHead);
      socket_.async_handshake(boost::asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](Fail fail) { self->met(fail); });
    } else {
      wait_for_request();
    }
  }

 private:
  PlainSocket& lowest() { return boost::beast::get_lowest_layer(socket_); }
  void end_in(Seconds time) {
    deadline_.expires_after(time);
    deadline_.async_wait([self = this->weak_from_this()](Fail fail) {
      if (const auto here = self.lock(); here && !fail) here->close();
    });
  }
  void close() {
    Fail ignored;
    if (stop_) *stop_ = true;
    deadline_.cancel();
    feeding_.cancel();
    lowest().close(ignored);
  }

  void met(Fail fail) {
    if constexpr (kTls) {
      if (!fail) {
        names_ = names_of_peer(socket_.native_handle());
        return wait_for_request();
      }
      if (const auto& tell = shared_->options.turned_away; tell)
        tell(peer_, "TLS: " + (fail == boost::asio::error::operation_aborted
                                   ? std::string("no handshake within 10 s")
                                   : handshake_fault(socket_.native_handle(), fail.message())));
      close();
    }
  }

  void wait_for_request() {
    if (buffer_.size() != 0) return read_head();
    end_in(kIdle);
    // What TLS has read already is not seen at the socket.
    if constexpr (kTls) return read_head_in_time();
    lowest().async_wait(PlainSocket::wait_read, [self = this->shared_from_this()](Fail fail) {
      if (!fail) self->read_head();
    });
  }

  void read_head() {
    end_in(kHead);
    read_head_in_time();
  }
  void read_head_in_time() {
    parser_.emplace();
    parser_->header_limit(kMostHead);
    parser_->body_limit(boost::none);  // until it is known what is asked
    boost::beast::http::async_read_header(
        socket_, buffer_, *parser_,
        [self = this->shared_from_this()](Fail fail, std::size_t) { self->take_head(fail); });
  }
  void take_head(Fail fail) {
    using boost::beast::http::error;
    if (fail == error::header_limit) return refuse_broken(Broken::head_too_large);
    const bool is_malformed = fail.category() == make_error_code(error::bad_method).category();
    if (fail && (fail == error::end_of_stream || !is_malformed)) return close();
    if (fail) return refuse_broken(Broken::malformed, fail.message());
    const auto& message = parser_->get();
    request_ = {.method = std::string(message.method_string()),
                .target = std::string(message.target()),
                .peer = peer_,
                .names = names_};
    for (const auto& field : message)
      request_.fields.push_back({std::string(field.name_string()), std::string(field.value())});
    is_head_ = request_.method == "HEAD";
    stays_ = message.keep_alive() && ++requests_ < kMostRequests;
    if (auto refusal = shared_->answerer.refuse(request_)) return refuse(std::move(*refusal));
    const std::uint64_t most = shared_->answerer.most_body(request_);
    if (parser_->content_length().value_or(0) > most) return refuse_broken(Broken::body_too_large);
    parser_->body_limit(most);
    boost::beast::http::async_read(
        socket_, buffer_, *parser_,
        [self = this->shared_from_this()](Fail fault, std::size_t) { self->take_body(fault); });
    end_in(shared_->options.reading);
  }
  void take_body(Fail fail) {
    if (fail == boost::beast::http::error::body_limit) return refuse_broken(Broken::body_too_large);
    if (fail) return close();
    deadline_.cancel();
    request_.body = std::move(parser_->get().body());
    stop_ = std::make_shared<std::atomic<bool>>(false);
    watch();
    shared_->answerer.answer(
        std::move(request_), stop_, [self = this->shared_from_this()](Reply reply) mutable {
          const auto executor = self->socket_.get_executor();
          boost::asio::post(executor, [self = std::move(self), reply = std::move(reply)]() mutable {
            self->begin_reply(std::move(reply));
          });
        });
  }

  // Whether the other side is still there while the answer is made. Bytes of a next request end
  // the watch. Of TLS, what comes then says nothing before it is read.
  void watch() {
    if constexpr (kTls) return;
    lowest().async_wait(
        PlainSocket::wait_read, [self = this->weak_from_this(), stop = stop_](Fail fail) {
          const auto here = self.lock();
          if (!here || fail) return;
          char byte = 0;
          if (recv(here->lowest().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return;
          *stop = true;
        });
  }

  // Of a request whose body was not read, or is none: nothing can follow it.
  void refuse(Reply reply) {
    stays_ = false;
    begin_reply(std::move(reply));
  }
  void refuse_broken(Broken what, std::string_view detail = {}) {
    refuse(shared_->answerer.broken(what, detail));
  }
  void begin_reply(Reply reply) {
    Fail ignored;
    if constexpr (!kTls) lowest().cancel(ignored);  // the watch
    if (reply.upgrade) return upgrade(std::move(reply));
    reply_ = std::move(reply);
    if (reply_.feed) stays_ = false;
    head_ = head_of(reply_, stays_ ? Behind::stay : Behind::close);
    if (is_head_) reply_.body.clear(), reply_.feed = nullptr, reply_.source.reset();
    written_ = 0;
    to_come_ = reply_.source ? reply_.source->size() : 0;
    end_in(kWriting);
    const std::array<boost::asio::const_buffer, 2> first{boost::asio::buffer(head_), next_piece()};
    write(first);
  }
  void upgrade(Reply reply) {
    if (!boost::beast::websocket::is_upgrade(parser_->get()))
      return refuse({.status = 400, .type = "text/plain", .body = "that is no WebSocket\n"});
    deadline_.cancel();
    const auto channel =
        std::make_shared<SocketChannel<Socket>>(std::move(socket_), this->shared_from_this());
    channel->stream().async_accept(parser_->get(),
                                   [channel, take = std::move(reply.upgrade)](Fail fail) {
                                     fail ? channel->close() : take(channel);
                                   });
  }
  template <class Buffers>
  void write(const Buffers& buffers) {
    boost::asio::async_write(
        socket_, buffers,
        [self = this->shared_from_this()](Fail fail, std::size_t) { self->wrote(fail); });
  }
  boost::asio::const_buffer next_piece() {
    const std::size_t size = std::min(kPiece, reply_.body.size() - written_);
    const boost::asio::const_buffer piece(reply_.body.data() + written_, size);
    written_ += size;
    return piece;
  }
  void wrote(Fail fail) {
    if (fail) return close();
    if (written_ < reply_.body.size()) {
      end_in(kWriting);
      return write(next_piece());
    }
    if (to_come_ != 0) return ask_source();
    if (reply_.feed) return begin_feed();
    reply_ = {};
    stop_.reset();
    stays_ ? wait_for_request() : linger();
  }

  void ask_source() {
    deadline_.cancel();
    reply_.source->next([self = this->shared_from_this()](std::optional<std::string> part) mutable {
      const auto executor = self->socket_.get_executor();
      boost::asio::post(executor, [self = std::move(self), part = std::move(part)]() mutable {
        self->write_part(std::move(part));
      });
    });
  }
  void write_part(std::optional<std::string> part) {
    if (!part || part->empty() || part->size() > to_come_) return close();
    to_come_ -= part->size();
    reply_.body = std::move(*part);
    written_ = 0;
    end_in(kWriting);
    write(next_piece());
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
    boost::asio::async_write(socket_, boost::asio::buffer(head_),
                             [self = this->shared_from_this()](Fail fail, std::size_t) {
                               if (fail) return self->close();
                               self->feed_later();
                             });
  }
  void feed_later() {
    deadline_.cancel();
    if (*stop_) return close();
    feeding_.expires_after(kFeeding);
    feeding_.async_wait([self = this->shared_from_this()](Fail fail) {
      if (!fail) self->feed();
    });
  }

  // What was not read yet would make the other side lose the reply: it is read for a moment.
  void linger() {
    Fail ignored;
    lowest().shutdown(PlainSocket::shutdown_send, ignored);
    end_in(kLingering);
    drain();
  }
  void drain() {
    lowest().async_read_some(boost::asio::buffer(waste_),
                             [self = this->shared_from_this()](Fail fail, std::size_t) {
                               fail ? self->close() : self->drain();
                             });
  }

  Socket socket_;
  const std::string peer_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer feeding_;
  std::shared_ptr<Shared> shared_;
  std::vector<std::string> names_{};
  unsigned requests_ = 0;
  unsigned quiet_feeds_ = 0;
  boost::beast::flat_buffer buffer_{kMostHead + kReadAtOnce};
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  Request request_;
  bool is_head_ = false;
  bool stays_ = true;
  Answerer::Stop stop_;
  Reply reply_;
  std::string head_;
  std::size_t written_ = 0;    // of the reply's body
  std::uint64_t to_come_ = 0;  // of its source
  std::array<char, 4096> waste_{};
};

}  // namespace polytrace::http
