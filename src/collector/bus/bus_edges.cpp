// SPDX-License-Identifier: Apache-2.0
#if POLYTRACE_HAS_NATS
#include <boost/asio/steady_timer.hpp>
#include <map>

#include "collector/bus/bus_control.hpp"
#include "collector/bus/bus_link.hpp"
#include "collector/bus/bus_wire.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using HereClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSweepEvery{5};

// What is asked of one edge, over a wire that others use, too.
class BusChannel final : public http::Channel {
 public:
  BusChannel(std::weak_ptr<BusWire> wire, std::string subject, std::string reply)
      : wire_(std::move(wire)), subject_(std::move(subject)), reply_(std::move(reply)) {}

  void begin(Hands hands) override { hands_ = std::move(hands); }
  void send(std::string message) override {
    if (const auto wire = wire_.lock(); wire && !is_over_)
      wire->publish({subject_, reply_, std::move(message)});
  }
  void close() override { end_of(false, {}); }

  void heard(std::string text) {
    here_ = HereClock::now();
    if (is_over_ || !hands_.heard) return;
    if (text.size() > hands_.most) return end("an answer is too long");
    // What is heard may end this.
    const auto take = hands_.heard;
    take(std::move(text));
  }
  void is_here() { here_ = HereClock::now(); }
  bool is_silent() const { return HereClock::now() - here_ > kHereNoMore; }
  bool is_over() const { return is_over_; }
  void end(const std::string& why) { end_of(true, why); }

 private:
  void end_of(bool is_told, const std::string& why) {
    if (std::exchange(is_over_, true)) return;
    const Hands hands = std::exchange(hands_, {});
    if (is_told && hands.over) hands.over(why);
  }

  const std::weak_ptr<BusWire> wire_;
  const std::string subject_, reply_;
  Hands hands_{};
  HereClock::time_point here_ = HereClock::now();
  bool is_over_ = false;
};

class OwnBusEdges final : public BusEdges {
 public:
  OwnBusEdges(asio::io_context& context, const Config& config, Meet meet, Tell tell)
      : meet_(std::move(meet)), tell_(std::move(tell)), timer_(context) {
    const auto down = [this](const std::string& why) { lost(why); };
    answers_ = BusWire::open(context, config, edge_subject({"*", "*"}, said_),
                             {.up = [] {},
                              .heard = [this](BusWire::Message message) { answer(message); },
                              .down = down});
    heres_ = BusWire::open(context, config, edge_subject({"*", "*"}, "here"),
                           {.up = [this] { told_ = false; },
                            .heard = [this](const BusWire::Message& message) { hear(message); },
                            .down = down});
    sweep();
  }
  ~OwnBusEdges() override {
    timer_.cancel();
    heres_->close();
    answers_->close();
    for (const auto& [key, channel] : std::exchange(channels_, {})) channel->close();
  }

 private:
  using Key = std::pair<std::string, std::string>;  // tenant and edge

  void hear(const BusWire::Message& message) {
    const auto edge = parse_edge_subject(message.subject, "here");
    if (!edge) return;
    const auto found = channels_.find({edge->tenant, edge->edge});
    if (!message.text.empty()) {
      if (found != channels_.end()) found->second->end("the edge ends");
    } else if (found != channels_.end() && !found->second->is_over()) {
      found->second->is_here();
    } else if (found != channels_.end() || channels_.size() < kMostMet) {
      auto channel = std::make_shared<BusChannel>(answers_, edge_subject(*edge, "cmd"),
                                                  edge_subject(*edge, said_));
      channels_[{edge->tenant, edge->edge}] = channel;
      meet_(*edge, std::move(channel));
    }
  }
  void answer(BusWire::Message& message) {
    const auto edge = parse_edge_subject(message.subject, said_);
    if (!edge) return;
    const auto found = channels_.find({edge->tenant, edge->edge});
    if (found != channels_.end()) std::shared_ptr(found->second)->heard(std::move(message.text));
  }
  void lost(const std::string& why) {
    if (!std::exchange(told_, true))
      tell_({Weight::warning, "control", {}, 0, "no edge is reached over the bus: " + why});
    for (const auto& [key, channel] : std::exchange(channels_, {})) channel->end(why);
  }
  void sweep() {
    for (const auto& [key, channel] : channels_)
      if (channel->is_silent()) channel->end("it says nothing any more");
    std::erase_if(channels_, [](const auto& one) { return one.second->is_over(); });
    timer_.expires_after(kSweepEvery);
    timer_.async_wait([this](boost::system::error_code fault) {
      if (!fault) sweep();
    });
  }

  const Meet meet_;
  const Tell tell_;
  const std::string said_ = "said." + new_bus_name();
  asio::steady_timer timer_;
  bool told_ = false;
  std::map<Key, std::shared_ptr<BusChannel>> channels_;
  std::shared_ptr<BusWire> answers_{}, heres_{};
};

}  // namespace

std::unique_ptr<BusEdges> BusEdges::open(asio::io_context& context, const Config& config, Meet meet,
                                         Tell tell) {
  return std::make_unique<OwnBusEdges>(context, config, std::move(meet), std::move(tell));
}

}  // namespace polytrace::collector
#endif
