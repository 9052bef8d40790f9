// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/guest.hpp"

#include <fmt/format.h>

#include <boost/asio/post.hpp>

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using GuestFault = boost::system::error_code;

constexpr std::chrono::seconds kHandshake{5};
constexpr std::size_t kMostUnsent = std::size_t{64} << 10;
constexpr unsigned kReadsInTurn = 4;
constexpr unsigned kUnanswered = 3;  // heartbeats of who is gone
// An agent says nothing while it writes a heap dump.
constexpr std::chrono::minutes kBusyWithCommand{10};

// Before its stream tells more.
warehouse::Labels labels_at_welcome(const AgentLink& link, const Owner& owner,
                                    const LabelList& given) {
  LabelList told{{"runtime", link.runtime()}, {"agent", link.agent()}};
  for (const std::string& text : link.labels())
    if (auto label = parse_label(text)) told.push_back(std::move(*label));
  LabelList ours = given;
  ours.insert(ours.end(), owner.labels.begin(), owner.labels.end());
  return labels_of(told, ours);
}

}  // namespace

void Guest::greet() {
  const bool commands = !room_.config.control_allow.empty();
  send(AgentLink::hello(token_, AgentLink::Wants{commands}));
  patience_.expires_after(kHandshake);
  patience_.async_wait([self = weak_from_this()](GuestFault fault) {
    if (const auto here = self.lock(); here && !fault) here->refuse(Refused::silence);
  });
  wait();
}

void Guest::send(AgentLink::Bytes bytes) {
  if (!open_ || is_deaf_) return;
  out_size_ += bytes.size();
  out_.push_back(std::move(bytes));
  // Who never reads what is said gets no more of it.
  if (out_size_ > kMostUnsent) return close();
  if (!writes_) write();
}

void Guest::write() {
  while (open_ && !out_.empty()) {
    GuestFault fault;
    const AgentLink::Bytes& first = out_.front();
    const std::size_t sent =
        socket_.write_some(asio::buffer(first.data() + out_sent_, first.size() - out_sent_), fault);
    if (fault == asio::error::would_block || fault == asio::error::try_again) {
      writes_ = true;
      socket_.async_wait(AgentSocket::wait_write, [self = shared_from_this()](GuestFault failed) {
        self->writes_ = false;
        if (!failed) self->write();
      });
      return;
    }
    if (fault) {
      // It has hung up, maybe behind all that it said: read() takes what is still on its way.
      is_deaf_ = true;
      return out_.clear();
    }
    out_sent_ += sent;
    if (out_sent_ < first.size()) continue;
    out_size_ -= first.size();
    out_sent_ = 0;
    out_.pop_front();
  }
}

void Guest::wait() {
  socket_.async_wait(AgentSocket::wait_read, [self = shared_from_this()](GuestFault fault) {
    if (!fault) self->read();
  });
}

// Some at a time, so that the others have their turn.
void Guest::read() {
  for (unsigned i = 0; open_ && i < kReadsInTurn; ++i) {
    GuestFault fault;
    const std::size_t got = socket_.read_some(asio::buffer(room_.bytes), fault);
    if (fault == asio::error::would_block || fault == asio::error::try_again) break;
    if (fault) return close();
    unheard_ = 0;
    link_.append(AgentLink::View(room_.bytes).first(got));
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
    case Heard::answer: send(link_.give_credit(room_.share())); break;
    case Heard::reply: {
      const AgentLink::Reply& reply = link_.reply();
      if (reply.request == request_)
        tell_asker({true, reply.message, reply.outcome, reply.state, reply.text});
      break;
    }
    case Heard::data: return take_data();
    case Heard::stream_end:
      room_.pipeline.end(stream_, number_);
      room_.pipeline.leave(stream_, number_);
      stream_ = nullptr;
      break;
    case Heard::notice:
      room_.tell({Weight::detail, "notice", owner_.name, link_.stream(), link_.text()});
      break;
    case Heard::bye: close(); return false;
    case Heard::refused: refuse(link_.why()); return false;
  }
  return true;
}

// Of who is cut off no socket tells.
void Guest::beat() {
  const std::chrono::milliseconds every = room_.config.heartbeat;
  send(AgentLink::heartbeat(static_cast<std::uint64_t>(every.count())));
  if (!open_) return;
  ++unheard_;
  patience_.expires_after(every);
  patience_.async_wait([self = weak_from_this()](GuestFault fault) {
    const auto here = self.lock();
    if (!here || fault || !here->open_) return;
    const bool is_busy =
        here->request_ != 0 && std::chrono::steady_clock::now() - here->asked_ < kBusyWithCommand;
    if (here->unheard_ >= kUnanswered && !is_busy) here->refuse(Refused::heartbeat);
    else here->beat();
  });
}

void Guest::welcome() {
  beat();
  if (!token_.empty()) owner_ = owner_over_tcp(link_.process());
  told_.labels = labels_at_welcome(link_, owner_, room_.config.labels);
  room_.tell({Weight::news, "connected", owner_.name, link_.stream(),
              fmt::format("{}, {}", link_.agent(), link_.runtime())});
  if (!room_.pipeline.may_be_known_elsewhere(link_.stream(), owner_)) return give_first();
  room_.asker.ask(link_.stream(), owner_, [self = weak_from_this()] {
    if (const auto here = self.lock(); here && here->open_) here->give_first();
  });
}

void Guest::give_first() {
  const std::uint64_t from =
      link_.stream() == 0 ? 0 : room_.pipeline.resume_offset(link_.stream(), owner_);
  if (from == 0) return send(link_.give_credit(room_.share()));
  room_.tell({Weight::detail, "resumed", owner_.name, link_.stream(),
              fmt::format("from byte {} on", from)});
  send(link_.resume(from, room_.share()));
}

void Guest::come() {
  received_ = link_.offset();
  room_.pipeline.come(stream_, number_, received_);
}

bool Guest::take_data() {
  if (!stream_) {
    Refused why{};
    stream_ = room_.pipeline.begin(link_.stream(), owner_, number_, why);
    if (!stream_) return refuse(why), false;
    pulse_ = stream_->pulse;
    kept_told_ = link_.offset();
    come();
  } else if (link_.offset() != received_) {
    come();  // behind what the agent has no more
  }
  const auto* const first = reinterpret_cast<const std::byte*>(link_.content().data());
  received_ += link_.content().size();
  room_.pipeline.take(stream_, number_, {first, first + link_.content().size()});
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
    if (!open_) return;  // nobody was there to take it
  }
  const std::uint64_t share = room_.share();
  const std::uint64_t waiting = stream_->waiting;
  const std::uint64_t may_end = stream_->fed + (waiting < share ? share - waiting : 0);
  const std::uint64_t given = received_ + link_.credit();
  if (may_end > given && (may_end - given >= share / 4 || link_.credit() == 0))
    send(link_.give_credit(may_end - given));
}

void Guest::refuse(Refused why) {
  room_.figures.refuse(why);
  room_.tell({Weight::warning, "refused", owner_.name, link_.stream(), std::string(text_of(why))});
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
  GuestFault ignored;
  patience_.cancel();
  socket_.shutdown(AgentSocket::shutdown_both, ignored);
  socket_.close(ignored);
  if (stream_) room_.pipeline.leave(stream_, number_);
  stream_ = nullptr;
  tell_asker({.is_there = false});
  room_.forget(*this);
}

HeldAgent Guest::held() const {
  const std::string* const database = room_.pipeline.database_of(owner_.user);
  HeldAgent agent{.number = open_ && database != nullptr ? number_ : 0,
                  .database = database == nullptr ? "" : *database,
                  .obeys = link_.may_control(),
                  .is_streaming = stream_ != nullptr,
                  .who = told_,
                  .pulse = pulse_};
  if (auto known = pulse_ ? pulse_->who() : Pulse::Who{}; known.series != 0)
    agent.who = std::move(known);
  return agent;
}

void Guest::ask(agent::control::Message message, const agent::control::Body& body,
                std::function<void(AgentAnswer)> hear) {
  hear_ = std::move(hear);
  if (++request_ == 0) ++request_;
  asked_ = std::chrono::steady_clock::now();
  send(AgentLink::command(message, request_, body));
}

// Later: who hears may ask for more.
void Guest::tell_asker(AgentAnswer answer) {
  if (!hear_) return;
  const bool is_last = !answer.is_there;
  asio::post(socket_.get_executor(),
             [hear = is_last ? std::exchange(hear_, nullptr) : hear_,
              answer = std::move(answer)]() mutable { hear(std::move(answer)); });
}

}  // namespace polytrace::collector
