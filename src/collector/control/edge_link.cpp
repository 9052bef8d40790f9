// SPDX-License-Identifier: Apache-2.0
#include "collector/control/edge_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "collector/target/target.hpp"
#include "http/channel.hpp"
#include "warehouse/link.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kFirstRedial{1};
constexpr std::chrono::seconds kLastRedial{60};
constexpr std::size_t kMostRequest = std::size_t{256} << 10;

http::DialOptions dial_options(const std::string& hub, const Config& config,
                               const std::string& name, const std::string& token) {
  const warehouse::Address address = warehouse::parse_address(hub).value();
  const bool over_tls = hub.starts_with("https://");
  const std::size_t mark = address.server.rfind(':');
  const bool has_port =
      address.server.find_first_not_of("0123456789", mark + 1) == std::string::npos;
  http::DialOptions options{
      .host = address.host,
      .port = has_port ? address.server.substr(mark + 1) : std::string(over_tls ? "443" : "80"),
      .path = std::string(kEdgePath),
      .over_tls = over_tls,
      .tls = {config.edge.certificate, config.edge.key, config.edge.ca},
      .fields = {{std::string(kEdgeField), name}}};
  if (!token.empty()) options.fields.push_back({"Authorization", "Bearer " + token});
  return options;
}

// The channel to one hub. Kept alive by what it waits for; ends with its owner.
class HubLink final : public std::enable_shared_from_this<HubLink> {
 public:
  HubLink(asio::io_context& context, std::string hub, http::DialOptions options, Executor& executor,
          EdgeService& other, Tell tell)
      : context_(context),
        hub_(std::move(hub)),
        options_(std::move(options)),
        executor_(executor),
        other_(other),
        tell_(std::move(tell)),
        pause_(context) {}

  void dial() {
    if (is_over_) return;
    http::dial(context_, options_,
               [self = shared_from_this()](base::result<std::shared_ptr<http::Channel>> got) {
                 if (self->is_over_) return got ? (*got)->close() : void();
                 got ? self->open(std::move(*got)) : self->lost(got.error().detail);
               });
  }
  void close() {
    is_over_ = true;
    pause_.cancel();
    if (channel_) channel_->close();
  }

 private:
  void open(std::shared_ptr<http::Channel> channel) {
    channel_ = std::move(channel);
    wait_ = kFirstRedial;
    told_ = false;
    tell_({Weight::news, "control", {}, 0, hub_ + ": commands are taken from there"});
    channel_->begin(
        {.most = kMostRequest,
         .heard = [self = shared_from_this()](const std::string& message) { self->hear(message); },
         .over = [self = shared_from_this()](const std::string& why) { self->lost(why); }});
  }
  void hear(const std::string& message) {
    const bool is_one =
        serve_message(executor_, other_, message,
                      [self = shared_from_this(), channel = channel_](std::string answer) {
                        if (self->channel_ == channel && !self->is_over_)
                          channel->send(std::move(answer));
                      });
    if (is_one) return;
    channel_->close();
    lost("it sends what is no command");
  }
  void lost(const std::string& why) {
    channel_.reset();
    if (is_over_) return;
    if (!std::exchange(told_, true))
      tell_({Weight::warning,
             "control",
             {},
             0,
             fmt::format("{}: no commands from there: {}", hub_, why)});
    pause_.expires_after(wait_);
    wait_ = std::min(2 * wait_, kLastRedial);
    pause_.async_wait([self = shared_from_this()](boost::system::error_code fault) {
      if (!fault) self->dial();
    });
  }

  asio::io_context& context_;
  const std::string hub_;
  const http::DialOptions options_;
  Executor& executor_;
  EdgeService& other_;
  Tell tell_;
  asio::steady_timer pause_;
  std::shared_ptr<http::Channel> channel_{};
  std::chrono::seconds wait_ = kFirstRedial;
  bool told_ = false;
  bool is_over_ = false;
};

class OwnEdgeLinks final : public EdgeLinks {
 public:
  explicit OwnEdgeLinks(std::vector<std::shared_ptr<HubLink>> links) : links_(std::move(links)) {
    for (const auto& link : links_) link->dial();
  }
  ~OwnEdgeLinks() override {
    for (const auto& link : links_) link->close();
  }

 private:
  const std::vector<std::shared_ptr<HubLink>> links_;
};

}  // namespace

base::result<std::unique_ptr<EdgeLinks>> EdgeLinks::open(asio::io_context& context,
                                                         const Config& config, std::string name,
                                                         Executor& executor, EdgeService& other,
                                                         Tell tell) {
  std::string token;
  if (!config.edge.token_file.empty()) {
    auto read = agent::control::read_private_token(config.edge.token_file);
    if (!read) return base::fail(base::Code::open_failed, read.error().detail);
    token = std::move(*read);
  }
  std::vector<std::shared_ptr<HubLink>> links;
  for (const std::string& hub : config.hubs)
    links.push_back(std::make_shared<HubLink>(context, hub, dial_options(hub, config, name, token),
                                              executor, other, tell));
  return std::make_unique<OwnEdgeLinks>(std::move(links));
}

}  // namespace polytrace::collector
