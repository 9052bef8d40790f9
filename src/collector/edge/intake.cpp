// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/intake.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "collector/edge/guest.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;
using AgentPort = asio::ip::tcp;
using Fault = boost::system::error_code;

constexpr std::chrono::milliseconds kLater{250};
constexpr std::uint64_t kLeastCredit = std::uint64_t{16} << 10;
constexpr std::uint64_t kMostCredit = std::uint64_t{256} << 10;

class AgentDoor final : public Intake {
 public:
  AgentDoor(asio::io_context& context, const Config& config, Pipeline& pipeline,
            PositionAsker& asker, Figures& figures, Tell tell)
      : config_(config),
        figures_(figures),
        tell_(tell),
        pipeline_(pipeline),
        room_{.config = config,
              .pipeline = pipeline,
              .figures = figures,
              .asker = asker,
              .tell = std::move(tell),
              .share = [this] { return share(); },
              .forget = [this](const Guest& guest) { forget(guest); }},
        acceptor_(context),
        port_(context) {}
  ~AgentDoor() override { close_all({}); }

  base::result<void> listen();
  base::result<void> listen_tcp();
  void look_at_news() override;
  void close(std::string_view why) override { close_all(why); }
  std::vector<HeldAgent> held() const override;
  HeldAgent held(std::uint64_t number) const override;
  void ask(std::uint64_t number, agent::control::Message message, const agent::control::Body& body,
           std::function<void(AgentAnswer)> hear) override;

 private:
  void forget(const Guest& guest);
  // What one agent may have on its way.
  std::uint64_t share() const;
  template <class Acceptor>
  void accept(Acceptor& acceptor);
  void take(Local::socket socket);
  void take(AgentPort::socket socket);
  void let_in(AgentSocket socket, Owner owner, const std::string& token);
  void turn_away(AgentSocket socket, Refused why, const std::string& who);
  void close_all(std::string_view why);

  const Config& config_;
  Figures& figures_;
  Tell tell_;
  Pipeline& pipeline_;
  GuestRoom room_;
  Local::acceptor acceptor_;
  AgentPort::acceptor port_;
  std::string token_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Guest>> guests_;
  std::unordered_map<uid_t, unsigned> of_user_;
  std::uint64_t next_number_ = 1;
  std::chrono::steady_clock::time_point counted_{};  // the credit of all
};

base::result<void> AgentDoor::listen() {
  const std::string& path = config_.socket;
  // Somebody may be at home there: another collector is not to lose its socket.
  if (agent::control::connect_unix(path))
    return base::fail(base::Code::open_failed, path + ": another program listens there");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code unknown;
  if (!std::filesystem::exists(folder, unknown))
    if (auto made = make_folder(folder); !made) return made;
  struct stat found{};
  if (lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) ::unlink(path.c_str());
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return base::fail(base::Code::open_failed, path + ": too long for a socket");
  Fault fault;
  acceptor_.open(Local(), fault);
  const mode_t before = umask(0117);  // 0660 from the first moment on
  if (!fault) acceptor_.bind(Local::endpoint(path), fault);
  umask(before);
  if (!fault) acceptor_.listen(Local::acceptor::max_listen_connections, fault);
  if (fault) return base::fail(base::Code::open_failed, path + ": " + fault.message());
  accept(acceptor_);
  return {};
}

base::result<void> AgentDoor::listen_tcp() {
  if (config_.agent_port == 0) return {};
  auto token = agent::control::read_private_token(config_.agent_token_file);
  if (!token) return base::fail(base::Code::open_failed, token.error().detail);
  token_ = std::move(*token);
  const AgentPort::endpoint place{asio::ip::address_v4::loopback(),
                                  static_cast<std::uint16_t>(config_.agent_port)};
  Fault fault;
  port_.open(place.protocol(), fault);
  if (!fault) port_.set_option(AgentPort::acceptor::reuse_address(true), fault);
  if (!fault) port_.bind(place, fault);
  if (!fault) port_.listen(AgentPort::acceptor::max_listen_connections, fault);
  if (fault)
    return base::fail(base::Code::open_failed,
                      fmt::format("127.0.0.1:{}: {}", config_.agent_port, fault.message()));
  accept(port_);
  return {};
}

template <class Acceptor>
void AgentDoor::accept(Acceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](Fault fault, auto socket) {
    if (fault == asio::error::operation_aborted) return;
    if (!fault) {
      take(std::move(socket));
      return accept(acceptor);
    }
    // Out of descriptors: some are free again in a moment.
    const auto again = std::make_shared<asio::steady_timer>(acceptor.get_executor(), kLater);
    again->async_wait([this, &acceptor, again](Fault failed) {
      if (!failed && acceptor.is_open()) accept(acceptor);
    });
  });
}

void AgentDoor::take(Local::socket socket) {
  auto owner = owner_of(socket.native_handle());
  if (!owner) return turn_away(std::move(socket), Refused::stranger, {});
  let_in(std::move(socket), std::move(*owner), {});
}

void AgentDoor::take(AgentPort::socket socket) {
  let_in(std::move(socket), owner_over_tcp(0), token_);
}

void AgentDoor::let_in(AgentSocket socket, Owner owner, const std::string& token) {
  Fault fault;
  socket.non_blocking(true, fault);
  if (guests_.size() >= kMostStreams)
    return turn_away(std::move(socket), Refused::connections, owner.name);
  if (of_user_[owner.user] >= config_.streams_of_user)
    return turn_away(std::move(socket), Refused::user, owner.name);
  ++of_user_[owner.user];
  const std::uint64_t number = next_number_++;
  const auto guest =
      std::make_shared<Guest>(std::move(socket), room_, number, std::move(owner), token);
  guests_.emplace(number, guest);
  figures_.streams = guests_.size();
  guest->greet();
}

void AgentDoor::turn_away(AgentSocket socket, Refused why, const std::string& who) {
  figures_.refuse(why);
  tell_({Weight::warning, "refused", who, 0, std::string(text_of(why))});
  Fault ignored;
  socket.write_some(asio::buffer(AgentLink::bye(text_of(why))), ignored);
}

void AgentDoor::forget(const Guest& guest) {
  tell_({Weight::news, "left", guest.owner().name, 0, "the connection is closed"});
  if (--of_user_[guest.owner().user] == 0) of_user_.erase(guest.owner().user);
  guests_.erase(guest.number());
  figures_.streams = guests_.size();
}

std::uint64_t AgentDoor::share() const {
  const std::uint64_t equal = config_.credit / std::max<std::uint64_t>(1, guests_.size());
  return std::clamp(equal, kLeastCredit, kMostCredit);
}

void AgentDoor::look_at_news() {
  for (const StreamPtr& stream : pipeline_.take_news()) {
    const auto found = guests_.find(stream->connection);
    if (found == guests_.end()) continue;
    const std::shared_ptr<Guest> guest = found->second;
    if (guest->stream() == stream) guest->look();
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - counted_ < kLater) return;
  counted_ = now;
  std::uint64_t credit = 0;
  for (const auto& [number, guest] : guests_) credit += guest->credit();
  figures_.credit_bytes = credit;
}

std::vector<HeldAgent> AgentDoor::held() const {
  std::vector<HeldAgent> all;
  for (const auto& [number, guest] : guests_)
    if (HeldAgent agent = guest->held(); agent.number != 0) all.push_back(std::move(agent));
  return all;
}

HeldAgent AgentDoor::held(std::uint64_t number) const {
  const auto found = guests_.find(number);
  return found == guests_.end() ? HeldAgent{} : found->second->held();
}

void AgentDoor::ask(std::uint64_t number, agent::control::Message message,
                    const agent::control::Body& body, std::function<void(AgentAnswer)> hear) {
  if (const auto found = guests_.find(number); found != guests_.end())
    return found->second->ask(message, body, std::move(hear));
  asio::post(acceptor_.get_executor(), [hear = std::move(hear)] { hear({.is_there = false}); });
}

void AgentDoor::close_all(std::string_view why) {
  Fault ignored;
  if (acceptor_.is_open()) {
    acceptor_.close(ignored);
    ::unlink(config_.socket.c_str());
  }
  port_.close(ignored);
  while (!guests_.empty()) {
    const std::shared_ptr<Guest> guest = guests_.begin()->second;
    guest->say_bye(why);
  }
}

}  // namespace

base::result<std::unique_ptr<Intake>> Intake::open(asio::io_context& context, const Config& config,
                                                   Pipeline& pipeline, PositionAsker& asker,
                                                   Figures& figures, Tell tell) {
  auto door =
      std::make_unique<AgentDoor>(context, config, pipeline, asker, figures, std::move(tell));
  if (auto listening = door->listen(); !listening) return base::Unexpected(listening.error());
  if (auto listening = door->listen_tcp(); !listening) return base::Unexpected(listening.error());
  return door;
}

}  // namespace polytrace::collector
