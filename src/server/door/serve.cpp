// SPDX-License-Identifier: Apache-2.0
#include "server/door/serve.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>

#include "server/door/app.hpp"

namespace polytrace::server {
namespace {

constexpr std::size_t kTokenBytes = 16;

}  // namespace

base::result<void> serve(const Options& options, const std::atomic<bool>& stop,
                         const std::function<void(const Failed&)>& failed,
                         const std::function<void(const Started&)>& started) {
  auto token = http::random_token(kTokenBytes);
  if (!token) return base::Unexpected(token.error());
  boost::asio::io_context context(1);
  App app(options, std::move(*token));
  std::optional<base::Error> first;
  std::size_t opened = 0;
  for (const std::string& file : options.files) {
    const auto id = app.traces().add(file, file);
    if (id && ++opened != 0) continue;
    if (!first) first = id.error();
    failed({file, id.error()});
  }
  if (opened == 0 && first) return base::Unexpected(*first);
  auto listener = http::Listener::open(context, {.port = options.port}, app);
  if (!listener) return base::Unexpected(listener.error());
  const std::uint16_t port = (*listener)->port();
  started({fmt::format("http://{}:{}/#token={}", (*listener)->is_ipv4() ? "127.0.0.1" : "[::1]",
                       port, app.token()),
           port});
  http::run_until(context, stop);
  app.finish();
  return {};
}

}  // namespace polytrace::server
