// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <openssl/ssl.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/codes.hpp"
#include "http/channel_impl.hpp"
#include "http/tls.hpp"

namespace polytrace::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using DialFail = boost::system::error_code;
using SecureSocket = asio::ssl::stream<tcp::socket>;

// One attempt. Kept alive by what it waits for.
class Dialling final : public std::enable_shared_from_this<Dialling> {
 public:
  Dialling(asio::io_context& context, DialOptions options, TakeChannel take)
      : options_(std::move(options)),
        take_(std::move(take)),
        deadline_(context),
        resolver_(context),
        socket_(context) {}

  void begin() {
    deadline_.expires_after(options_.within);
    deadline_.async_wait([self = shared_from_this()](DialFail fault) {
      if (!fault) self->fail(fmt::format("no answer within {} s", self->options_.within.count()));
    });
    if (options_.over_tls) {
      auto tls = client_context(options_.tls);
      if (!tls)
        return asio::post(
            deadline_.get_executor(),
            [self = shared_from_this(), why = tls.error().detail] { self->fail(why); });
      tls_ = std::move(*tls);
    }
    resolver_.async_resolve(
        options_.host, options_.port,
        [self = shared_from_this()](DialFail fault, const tcp::resolver::results_type& places) {
          if (fault) return self->fail(fault.message());
          self->connect(places);
        });
  }

 private:
  void connect(const tcp::resolver::results_type& places) {
    if (!take_) return;
    asio::async_connect(socket_, places,
                        [self = shared_from_this()](DialFail fault, const tcp::endpoint&) {
                          if (fault) return self->fail(fault.message());
                          self->connected();
                        });
  }
  void connected() {
    if (!take_) return;
    DialFail ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    if (!options_.over_tls) return greet(std::move(socket_));
    secure_ = std::make_unique<SecureSocket>(std::move(socket_), *tls_);
    // An address is no name that a server could choose its certificate by.
    asio::ip::make_address(options_.host, ignored);
    if (ignored) SSL_set_tlsext_host_name(secure_->native_handle(), options_.host.c_str());
    secure_->set_verify_callback(asio::ssl::host_name_verification(options_.host), ignored);
    secure_->async_handshake(
        asio::ssl::stream_base::client, [self = shared_from_this()](DialFail fault) {
          if (fault)
            return self->fail("TLS: " +
                              handshake_fault(self->secure_->native_handle(), fault.message()));
          self->greet(std::move(*self->secure_));
        });
  }
  template <class Socket>
  void greet(Socket socket) {
    if (!take_) return;
    namespace websocket = boost::beast::websocket;
    const auto channel =
        std::make_shared<SocketChannel<Socket>>(std::move(socket), std::shared_ptr<void>(tls_));
    close_ = [channel] {
      DialFail ignored;
      boost::beast::get_lowest_layer(channel->stream()).close(ignored);
    };
    channel->stream().set_option(
        websocket::stream_base::decorator([fields = options_.fields](websocket::request_type& to) {
          for (const Field& field : fields) to.set(field.name, field.value);
        }));
    channel->stream().async_handshake(
        reply_, fmt::format("{}:{}", options_.host, options_.port), options_.path,
        [self = shared_from_this(), channel](DialFail fault) {
          if (fault)
            return self->fail(self->reply_.result_int() == 0 || !self->is_declined(fault)
                                  ? fault.message()
                                  : fmt::format("HTTP {}", self->reply_.result_int()));
          self->end(std::shared_ptr<Channel>(channel));
        });
  }
  static bool is_declined(DialFail fault) {
    return fault == boost::beast::websocket::error::upgrade_declined;
  }

  void fail(const std::string& why) {
    if (take_) end(base::fail(base::Code::open_failed, why));
  }
  void end(base::result<std::shared_ptr<Channel>> outcome) {
    if (!take_) return;
    DialFail ignored;
    deadline_.cancel();
    resolver_.cancel();
    socket_.close(ignored);
    if (secure_) secure_->lowest_layer().close(ignored);
    if (!outcome && close_) close_();
    close_ = nullptr;
    std::exchange(take_, nullptr)(std::move(outcome));
  }

  const DialOptions options_;
  TakeChannel take_;
  asio::steady_timer deadline_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  std::shared_ptr<asio::ssl::context> tls_{};
  std::unique_ptr<SecureSocket> secure_{};
  boost::beast::websocket::response_type reply_{};
  std::function<void()> close_{};
};

}  // namespace

void dial(asio::io_context& context, DialOptions options, TakeChannel take) {
  std::make_shared<Dialling>(context, std::move(options), std::move(take))->begin();
}

}  // namespace polytrace::http
