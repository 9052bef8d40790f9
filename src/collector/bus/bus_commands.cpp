// SPDX-License-Identifier: Apache-2.0
#if POLYTRACE_HAS_NATS
#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>

#include "collector/bus/bus_control.hpp"
#include "collector/bus/bus_wire.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kGoes = "goes";

class OwnBusCommands final : public BusCommands {
 public:
  OwnBusCommands(asio::io_context& context, const Config& config, EdgeSubject self,
                 Executor& executor, EdgeService& other, Tell tell)
      : url_(config.bus.url),
        self_(std::move(self)),
        executor_(executor),
        other_(other),
        tell_(std::move(tell)),
        timer_(context) {
    wire_ = BusWire::open(context, config, edge_subject(self_, "cmd"),
                          {.up = [this] { up(); },
                           .heard = [this](BusWire::Message message) { hear(message); },
                           .down = [this](const std::string& why) { down(why); }});
  }
  ~OwnBusCommands() override {
    timer_.cancel();
    wire_->publish({edge_subject(self_, "here"), {}, std::string(kGoes)});
    wire_->close();
  }

 private:
  void up() {
    tell_({Weight::news, "control", {}, 0, url_ + ": commands are taken from there"});
    told_ = false;
    say_here();
  }
  void down(const std::string& why) {
    if (!std::exchange(told_, true))
      tell_({Weight::warning, "control", {}, 0, "no commands over the bus: " + why});
  }
  void say_here() {
    wire_->publish({edge_subject(self_, "here"), {}, {}});
    timer_.expires_after(kHereEvery);
    timer_.async_wait([this](boost::system::error_code fault) {
      if (!fault) say_here();
    });
  }
  // Who asks is heard where hubs listen, and nowhere else.
  void hear(const BusWire::Message& message) {
    if (!message.reply.starts_with(edge_subject({self_.tenant, ""}, "said"))) return;
    serve_message(executor_, other_, message.text,
                  [wire = std::weak_ptr(wire_), where = message.reply](std::string answer) {
                    if (const auto open = wire.lock())
                      open->publish({where, {}, std::move(answer)});
                  });
  }

  const std::string url_;
  const EdgeSubject self_;
  Executor& executor_;
  EdgeService& other_;
  const Tell tell_;
  asio::steady_timer timer_;
  bool told_ = false;
  std::shared_ptr<BusWire> wire_{};
};

}  // namespace

std::unique_ptr<BusCommands> BusCommands::open(asio::io_context& context, const Config& config,
                                               std::string name, Executor& executor,
                                               EdgeService& other, Tell tell) {
  if (!is_subject_word(name)) {
    tell({Weight::warning,
          "control",
          {},
          0,
          fmt::format("no commands over the bus: no subject can have the name \"{}\"", name)});
    return nullptr;
  }
  return std::make_unique<OwnBusCommands>(context, config,
                                          EdgeSubject{config.bus.tenant, std::move(name)}, executor,
                                          other, std::move(tell));
}

}  // namespace polytrace::collector
#endif
