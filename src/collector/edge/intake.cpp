// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/intake.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "collector/edge/agent_link.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;
using Fault = boost::system::error_code;

constexpr std::chrono::seconds kHandshake{5};
constexpr std::chrono::milliseconds kLater{250};
constexpr std::uint64_t kLeastCredit = std::uint64_t{16} << 10;
constexpr std::uint64_t kMostCredit = std::uint64_t{256} << 10;
constexpr std::size_t kMostUnsent = std::size_t{64} << 10;
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
constexpr unsigned kReadsInTurn = 4;

class Door;

// One agent's connection. Kept alive by what it waits for.
class Guest final : public std::enable_shared_from_this<Guest> {
 public:
  Guest(Local::socket socket, Door& door, std::uint64_t number, Owner owner)
      : socket_(std::move(socket)),
        patience_(socket_.get_executor()),
        door_(door),
        number_(number),
        owner_(std::move(owner)) {}

  void greet();
  void look();  // at what its stream has come to
  void say_bye(std::string_view why);
  void close();
  const StreamPtr& stream() const { return stream_; }
  const Owner& owner() const { return owner_; }
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
  bool take_data();
  void give_first();
  void refuse(Refused why);

  Local::socket socket_;
  asio::steady_timer patience_;
  Door& door_;
  const std::uint64_t number_;
  const Owner owner_;
  AgentLink link_;
  StreamPtr stream_{};
  std::uint64_t received_ = 0;  // where the bytes that came end, in the stream
  std::uint64_t kept_told_ = 0;
  std::deque<AgentLink::Bytes> out_;
  std::size_t out_size_ = 0;
  std::size_t out_sent_ = 0;
  bool writes_ = false;
  bool open_ = true;
};

class Door final : public Intake {
 public:
  Door(asio::io_context& context, const Config& config, Pipeline& pipeline, Figures& figures,
       Tell tell)
      : pipeline(pipeline),
        figures(figures),
        tell(std::move(tell)),
        config_(config),
        acceptor_(context),
        again_(context) {}
  ~Door() override { close_all({}); }

  base::result<void> listen();
  void look_at_news() override;
  void close(std::string_view why) override { close_all(why); }

  void forget(const Guest& guest);
  // What one agent may have on its way.
  std::uint64_t share() const;

  Pipeline& pipeline;
  Figures& figures;
  Tell tell;
  std::array<std::uint8_t, kReadAtOnce> bytes{};  // of whoever reads

 private:
  void accept();
  void take(Local::socket socket);
  void turn_away(Local::socket socket, Refused why, const std::string& who);
  void close_all(std::string_view why);

  const Config& config_;
  Local::acceptor acceptor_;
  asio::steady_timer again_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Guest>> guests_;
  std::unordered_map<uid_t, unsigned> of_user_;
  std::uint64_t next_number_ = 1;
};

// --- one agent ---

void Guest::greet() {
  send(AgentLink::hello());
  patience_.expires_after(kHandshake);
  patience_.async_wait([self = weak_from_this()](Fault fault) {
    if (const auto here = self.lock(); here && !fault) here->refuse(Refused::silence);
  });
  wait();
}

void Guest::send(AgentLink::Bytes bytes) {
  if (!open_) return;
  out_size_ += bytes.size();
  out_.push_back(std::move(bytes));
  // Who never reads what is said gets no more of it.
  if (out_size_ > kMostUnsent) return close();
  if (!writes_) write();
}

void Guest::write() {
  while (open_ && !out_.empty()) {
    Fault fault;
    const AgentLink::Bytes& first = out_.front();
    const std::size_t sent =
        socket_.write_some(asio::buffer(first.data() + out_sent_, first.size() - out_sent_), fault);
    if (fault == asio::error::would_block || fault == asio::error::try_again) {
      writes_ = true;
      socket_.async_wait(Local::socket::wait_write, [self = shared_from_this()](Fault failed) {
        self->writes_ = false;
        if (!failed) self->write();
      });
      return;
    }
    if (fault) return close();
    out_sent_ += sent;
    if (out_sent_ < first.size()) continue;
    out_size_ -= first.size();
    out_sent_ = 0;
    out_.pop_front();
  }
}

void Guest::wait() {
  socket_.async_wait(Local::socket::wait_read, [self = shared_from_this()](Fault fault) {
    if (!fault) self->read();
  });
}

// Some at a time, so that the others have their turn.
void Guest::read() {
  for (unsigned i = 0; open_ && i < kReadsInTurn; ++i) {
    Fault fault;
    const std::size_t got = socket_.read_some(asio::buffer(door_.bytes), fault);
    if (fault == asio::error::would_block || fault == asio::error::try_again) break;
    if (fault) return close();
    link_.append(AgentLink::View(door_.bytes).first(got));
    if (!hear()) return;
  }
  if (open_) wait();
}

bool Guest::hear() {
  while (open_) {
    const AgentLink::Heard heard = link_.next();
    if (heard == AgentLink::Heard::nothing) return true;
    if (!obey(heard)) return false;
  }
  return false;
}

bool Guest::obey(AgentLink::Heard heard) {
  using Heard = AgentLink::Heard;
  switch (heard) {
    case Heard::nothing: break;
    case Heard::welcome: welcome(); break;
    case Heard::answer: send(link_.give_credit(door_.share())); break;
    case Heard::data: return take_data();
    case Heard::stream_end:
      door_.pipeline.end(stream_, number_);
      stream_ = nullptr;
      break;
    case Heard::notice:
      door_.tell({Weight::detail, "notice", owner_.name, link_.stream(), link_.text()});
      break;
    case Heard::bye: close(); return false;
    case Heard::refused: refuse(link_.why()); return false;
  }
  return true;
}

void Guest::welcome() {
  patience_.cancel();
  door_.tell({Weight::news, "connected", owner_.name, link_.stream(),
              fmt::format("{}, {}", link_.agent(), link_.runtime())});
  const std::uint64_t from =
      link_.stream() == 0 ? 0 : door_.pipeline.resume_offset(link_.stream(), owner_);
  if (from == 0) return send(link_.give_credit(door_.share()));
  door_.tell({Weight::detail, "resumed", owner_.name, link_.stream(),
              fmt::format("from byte {} on", from)});
  send(link_.resume(from, door_.share()));
}

bool Guest::take_data() {
  if (!stream_) {
    Refused why{};
    stream_ = door_.pipeline.begin(link_.stream(), owner_, number_, why);
    if (!stream_) return refuse(why), false;
    received_ = link_.offset();
    kept_told_ = received_;
    door_.pipeline.come(stream_, number_, received_);
  }
  const auto* const first = reinterpret_cast<const std::byte*>(link_.content().data());
  received_ += link_.content().size();
  door_.pipeline.take(stream_, number_, {first, first + link_.content().size()});
  return true;
}

void Guest::look() {
  if (!open_ || !stream_) return;
  if (stream_->refused) return refuse(stream_->why);
  if (stream_->connection != number_) return say_bye("another connection gives this stream");
  const std::uint64_t kept = stream_->kept;
  if (kept > kept_told_) {
    kept_told_ = kept;
    send(AgentLink::kept(stream_->id, kept));
  }
  const std::uint64_t share = door_.share();
  const std::uint64_t waiting = stream_->waiting;
  const std::uint64_t may_end = stream_->fed + (waiting < share ? share - waiting : 0);
  const std::uint64_t given = received_ + link_.credit();
  if (may_end > given && (may_end - given >= share / 4 || link_.credit() == 0))
    send(link_.give_credit(may_end - given));
}

void Guest::refuse(Refused why) {
  door_.figures.refuse(why);
  door_.tell({Weight::warning, "refused", owner_.name, link_.stream(), std::string(text_of(why))});
  say_bye(text_of(why));
}

void Guest::say_bye(std::string_view why) {
  send(AgentLink::bye(why));
  close();
}

void Guest::close() {
  if (!open_) return;
  open_ = false;
  const auto self = shared_from_this();
  Fault ignored;
  patience_.cancel();
  socket_.shutdown(Local::socket::shutdown_both, ignored);
  socket_.close(ignored);
  if (stream_) door_.pipeline.leave(stream_, number_);
  stream_ = nullptr;
  door_.forget(*this);
}

// --- all of them ---

base::result<void> Door::listen() {
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
  accept();
  return {};
}

void Door::accept() {
  acceptor_.async_accept([this](Fault fault, Local::socket socket) {
    if (fault == asio::error::operation_aborted) return;
    if (!fault) {
      take(std::move(socket));
      return accept();
    }
    // Out of descriptors: some are free again in a moment.
    again_.expires_after(kLater);
    again_.async_wait([this](Fault failed) {
      if (!failed) accept();
    });
  });
}

void Door::take(Local::socket socket) {
  Fault fault;
  socket.non_blocking(true, fault);
  auto owner = owner_of(socket.native_handle());
  if (!owner) return turn_away(std::move(socket), Refused::stranger, {});
  if (guests_.size() >= kMostStreams)
    return turn_away(std::move(socket), Refused::connections, owner->name);
  if (of_user_[owner->user] >= kMostOfUser)
    return turn_away(std::move(socket), Refused::user, owner->name);
  ++of_user_[owner->user];
  const std::uint64_t number = next_number_++;
  const auto guest = std::make_shared<Guest>(std::move(socket), *this, number, std::move(*owner));
  guests_.emplace(number, guest);
  figures.streams = guests_.size();
  guest->greet();
}

void Door::turn_away(Local::socket socket, Refused why, const std::string& who) {
  figures.refuse(why);
  tell({Weight::warning, "refused", who, 0, std::string(text_of(why))});
  Fault ignored;
  socket.write_some(asio::buffer(AgentLink::bye(text_of(why))), ignored);
}

void Door::forget(const Guest& guest) {
  tell({Weight::news, "left", guest.owner().name, 0, "the connection is closed"});
  if (--of_user_[guest.owner().user] == 0) of_user_.erase(guest.owner().user);
  guests_.erase(guest.number());
  figures.streams = guests_.size();
}

std::uint64_t Door::share() const {
  const std::uint64_t equal = config_.credit / std::max<std::uint64_t>(1, guests_.size());
  return std::clamp(equal, kLeastCredit, kMostCredit);
}

void Door::look_at_news() {
  for (const StreamPtr& stream : pipeline.take_news()) {
    const auto found = guests_.find(stream->connection);
    if (found == guests_.end()) continue;
    const std::shared_ptr<Guest> guest = found->second;
    if (guest->stream() == stream) guest->look();
  }
  std::uint64_t credit = 0;
  for (const auto& [number, guest] : guests_) credit += guest->credit();
  figures.credit_bytes = credit;
}

void Door::close_all(std::string_view why) {
  Fault ignored;
  if (acceptor_.is_open()) {
    acceptor_.close(ignored);
    ::unlink(config_.socket.c_str());
  }
  again_.cancel();
  while (!guests_.empty()) {
    const std::shared_ptr<Guest> guest = guests_.begin()->second;
    guest->say_bye(why);
  }
}

}  // namespace

base::result<std::unique_ptr<Intake>> Intake::open(asio::io_context& context, const Config& config,
                                                   Pipeline& pipeline, Figures& figures,
                                                   Tell tell) {
  auto door = std::make_unique<Door>(context, config, pipeline, figures, std::move(tell));
  if (auto listening = door->listen(); !listening) return base::Unexpected(listening.error());
  return door;
}

}  // namespace polytrace::collector
