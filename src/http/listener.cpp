// SPDX-License-Identifier: Apache-2.0
#include "http/listener.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>

#include "base/codes.hpp"
#include "http/connection_impl.hpp"

namespace polytrace::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Fail = boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds kAcceptAgain{250};
constexpr milliseconds kLookForStop{100};

std::string text_of(const tcp::endpoint& where) {
  const std::string address = where.address().to_string();
  return fmt::format(fmt::runtime(where.address().is_v6() ? "[{}]:{}" : "{}:{}"), address,
                     where.port());
}

class TcpListener final : public Listener {
 public:
  TcpListener(asio::io_context& context, ListenOptions options, Answerer& answerer)
      : shared_(std::make_shared<Shared>(answerer, std::move(options))),
        acceptor_(context),
        again_(context) {}

  base::result<void> open() {
    const ListenOptions& options = shared_->options;
    if (!options.tls.certificate.empty()) {
      auto tls = server_context(options.tls);
      if (!tls) return base::Unexpected(tls.error());
      shared_->tls = std::move(*tls);
    }
    if (options.address.empty()) return listen_here(options.port);
    Fail fail;
    const auto address = asio::ip::make_address(options.address, fail);
    if (fail) return base::fail(base::Code::open_failed, options.address + " is no address of IP");
    if (!shared_->tls && !address.is_loopback())
      return base::fail(base::Code::open_failed,
                        options.address +
                            " is heard by other machines: plain HTTP is for 127.0.0.1 and ::1 "
                            "only, TLS needs a certificate and its key");
    return take(try_bind({address, options.port}));
  }
  std::uint16_t port() const override {
    Fail ignored;
    return acceptor_.local_endpoint(ignored).port();
  }
  bool is_ipv4() const override {
    Fail ignored;
    return acceptor_.local_endpoint(ignored).address().is_v4();
  }
  void close() override {
    Fail ignored;
    acceptor_.close(ignored);
    again_.cancel();
  }

 private:
  base::result<void> listen_here(std::uint16_t port) {
    Fail fail = try_bind({asio::ip::address_v4::loopback(), port});
    if (fail == asio::error::address_family_not_supported ||
        fail == asio::error::make_error_code(asio::error::basic_errors::network_unreachable) ||
        fail.value() == EADDRNOTAVAIL)
      fail = try_bind({asio::ip::address_v6::loopback(), port});
    return take(fail);
  }
  base::result<void> take(Fail fail) {
    const ListenOptions& options = shared_->options;
    if (fail)
      return base::fail(base::Code::open_failed, fmt::format("port {}{}{}: {}", options.port,
                                                             options.address.empty() ? "" : " of ",
                                                             options.address, fail.message()));
    accept();
    return {};
  }
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
      if (fail == asio::error::operation_aborted) return;
      if (!fail) welcome(std::move(socket));
      // Out of descriptors: some are free again in a moment.
      if (fail) return accept_later();
      accept();
    });
  }
  void accept_later() {
    again_.expires_after(kAcceptAgain);
    again_.async_wait([this](Fail fail) {
      if (!fail) accept();
    });
  }
  void welcome(tcp::socket socket) {
    Fail ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const std::string peer = text_of(socket.remote_endpoint(ignored));
    if (shared_->connections >= shared_->options.most_connections)
      return turn_away(std::move(socket), peer);
    if (shared_->tls)
      std::make_shared<Connection<TlsSocket>>(TlsSocket(std::move(socket), *shared_->tls), peer,
                                              shared_)
          ->begin();
    else std::make_shared<Connection<PlainSocket>>(std::move(socket), peer, shared_)->begin();
  }
  void turn_away(tcp::socket socket, const std::string& peer) {
    const std::string why = fmt::format("{} connections are open", shared_->connections.load());
    if (shared_->options.turned_away) shared_->options.turned_away(peer, why);
    if (shared_->tls) return;  // it would be a long talk to say so
    Fail ignored;
    const Reply busy = shared_->answerer.broken(Broken::busy, why);
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(head_of(busy, Behind::close) + busy.body), ignored);
  }

  std::shared_ptr<Shared> shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer again_;
};

void look_for(const std::atomic<bool>& stop, asio::io_context& context, asio::steady_timer& look) {
  if (stop) return context.stop();
  look.expires_after(kLookForStop);
  look.async_wait([&](Fail) { look_for(stop, context, look); });
}

}  // namespace

base::result<std::unique_ptr<Listener>> Listener::open(asio::io_context& context,
                                                       ListenOptions options, Answerer& answerer) {
  auto listener = std::make_unique<TcpListener>(context, std::move(options), answerer);
  if (auto opened = listener->open(); !opened) return base::Unexpected(opened.error());
  return listener;
}

void run_until(asio::io_context& context, const std::atomic<bool>& stop) {
  asio::steady_timer look(context);
  look_for(stop, context, look);
  context.run();
}

}  // namespace polytrace::http
