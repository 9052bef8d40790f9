// SPDX-License-Identifier: Apache-2.0
// One agent's connection: its stream goes to the pipeline as it has credit for it, and it is
// commanded over the same connection. One thread, that of the context.
#pragma once

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>

#include "collector/control/agents.hpp"
#include "collector/edge/agent_link.hpp"
#include "collector/edge/position_asker.hpp"
#include "collector/flow/pipeline.hpp"

namespace polytrace::collector {

using AgentSocket = boost::asio::generic::stream_protocol::socket;
class Guest;

// What all guests share. Outlives them.
struct GuestRoom {
  static constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;

  const Config& config;
  Pipeline& pipeline;
  Figures& figures;
  PositionAsker& asker;
  Tell tell;
  std::function<std::uint64_t()> share{};  // what one agent may have on its way
  std::function<void(const Guest&)> forget{};
  std::array<std::uint8_t, kReadAtOnce> bytes{};  // of whoever reads
};

// Kept alive by what it waits for.
class Guest final : public std::enable_shared_from_this<Guest> {
 public:
  // `token`: over TCP, what both show.
  Guest(AgentSocket socket, GuestRoom& room, std::uint64_t number, Owner owner, std::string token)
      : token_(std::move(token)),
        socket_(std::move(socket)),
        patience_(socket_.get_executor()),
        room_(room),
        number_(number),
        owner_(std::move(owner)),
        link_(token_) {}

  void greet();
  void look();  // at what its stream has come to
  void say_bye(std::string_view why);
  void close();
  const StreamPtr& stream() const { return stream_; }
  const Owner& owner() const { return owner_; }
  HeldAgent held() const;
  void ask(agent::control::Message message, const agent::control::Body& body,
           std::function<void(AgentAnswer)> hear);
  std::uint64_t number() const { return number_; }
  std::uint64_t credit() const { return link_.credit(); }

 private:
  void send(AgentLink::Bytes bytes);
  void write();
  void wait();
  void read();
  bool hear();
  bool obey(AgentLink::Heard heard);
  void welcome();
  void beat();
  bool take_data();
  void come();
  void give_first();
  void refuse(Refused why);
  void tell_asker(AgentAnswer answer);

  const std::string token_;
  AgentSocket socket_;
  boost::asio::steady_timer patience_;
  GuestRoom& room_;
  const std::uint64_t number_;
  Owner owner_;
  AgentLink link_;
  StreamPtr stream_{};
  Pulse::Who told_{};  // by its WELCOME
  std::shared_ptr<const Pulse> pulse_{};
  std::uint32_t request_ = 0;                      // the last that it was asked
  std::chrono::steady_clock::time_point asked_{};  // and when
  std::function<void(AgentAnswer)> hear_{};
  std::uint64_t received_ = 0;  // where the bytes that came end, in the stream
  std::uint64_t kept_told_ = 0;
  std::deque<AgentLink::Bytes> out_;
  std::size_t out_size_ = 0;
  std::size_t out_sent_ = 0;
  bool writes_ = false;
  bool is_deaf_ = false;  // nothing can be written to it any more
  bool open_ = true;
  unsigned unheard_ = 0;  // heartbeats since it said anything
};

}  // namespace polytrace::collector
