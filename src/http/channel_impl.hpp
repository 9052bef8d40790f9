// SPDX-License-Identifier: Apache-2.0
// A channel on a plain socket or one of TLS. Kept alive by what it waits for.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>

#include "http/channel.hpp"

namespace polytrace::http {

template <class Socket>
class SocketChannel final : public Channel,
                            public std::enable_shared_from_this<SocketChannel<Socket>> {
 public:
  using Fail = boost::system::error_code;
  using Stream = boost::beast::websocket::stream<Socket>;

  // `keeps`: let go with the channel; may be null.
  SocketChannel(Socket socket, std::shared_ptr<void> keeps)
      : stream_(std::move(socket)), keeps_(std::move(keeps)) {
    using boost::beast::websocket::stream_base;
    stream_.set_option(
        stream_base::timeout{.handshake_timeout = std::chrono::seconds(10),
                             .idle_timeout = 2 * kSilence,  // half of it later it asks
                             .keep_alive_pings = true});
    stream_.text(true);
    stream_.auto_fragment(false);
  }

  Stream& stream() { return stream_; }

  void begin(Hands hands) override {
    hands_ = std::move(hands);
    stream_.read_message_max(hands_.most);
    read();
  }
  void send(std::string message) override {
    if (!is_open_) return;
    out_bytes_ += message.size();
    out_.push_back(std::move(message));
    if (out_bytes_ > kMostUnread) return fail("what it is sent is not read");
    if (out_.size() == 1) write();
  }
  void close() override {
    hands_.over = nullptr;
    end();
  }

 private:
  void read() {
    stream_.async_read(buffer_, [self = this->shared_from_this()](Fail fault, std::size_t) {
      if (!self->is_open_) return;
      if (fault) return self->fail(fault.message());
      std::string message = boost::beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->hands_.heard(std::move(message));
      if (self->is_open_) self->read();
    });
  }
  void write() {
    stream_.async_write(boost::asio::buffer(out_.front()),
                        [self = this->shared_from_this()](Fail fault, std::size_t) {
                          if (!self->is_open_) return;
                          if (fault) return self->fail(fault.message());
                          self->out_bytes_ -= self->out_.front().size();
                          self->out_.pop_front();
                          if (!self->out_.empty()) self->write();
                        });
  }
  void fail(const std::string& why) {
    const auto self = this->shared_from_this();
    const auto over = std::exchange(hands_.over, nullptr);
    end();
    if (over) over(why);
  }
  void end() {
    if (!std::exchange(is_open_, false)) return;
    Fail ignored;
    boost::beast::get_lowest_layer(stream_).close(ignored);
    keeps_.reset();
    // Who is called may be what they hold.
    boost::asio::post(stream_.get_executor(), [hands = std::exchange(hands_, {})] {});
  }

  Stream stream_;
  std::shared_ptr<void> keeps_;
  boost::beast::flat_buffer buffer_;
  Hands hands_{};
  std::deque<std::string> out_{};
  std::size_t out_bytes_ = 0;
  bool is_open_ = true;
};

}  // namespace polytrace::http
