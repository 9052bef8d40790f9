// SPDX-License-Identifier: Apache-2.0
#if POLYTRACE_HAS_NATS
#include "collector/bus/bus_wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "collector/bus/bus.hpp"
#include "collector/bus/bus_link.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using std::chrono::seconds;

constexpr std::int64_t kGlanceAtWire = 250;  // milliseconds
constexpr std::int64_t kAnswered = 5'000, kLastWords = 2'000;
constexpr const char* kNoInbox = "_INBOX.none";  // nothing is asked over it
constexpr seconds kFirstWireWait{1}, kMostWireWait{30}, kForbiddenWait{600};

class NatsWire final : public BusWire, public std::enable_shared_from_this<NatsWire> {
 public:
  NatsWire(asio::io_context& context, Config config, std::string subject, Hands hands)
      : context_(context),
        config_(std::move(config)),
        subject_(std::move(subject)),
        hands_(std::move(hands)) {}
  ~NatsWire() override { join(); }

  void begin() {
    reader_ = std::thread([this] { read(); });
    writer_ = std::thread([this] { write(); });
  }
  void publish(Message message) override {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || !link_ || unsent_.size() >= kMostUnsent) return;
    unsent_.push_back(std::move(message));
    come_.notify_all();
  }
  void close() override {
    is_over_ = true;
    join();
  }

 private:
  void join() {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      come_.notify_all();
    }
    for (std::thread* const thread : {&writer_, &reader_})
      if (thread->joinable()) thread->join();
  }
  // On the loop's thread, where is_over_ is its own. A thread of ours never holds the last of this.
  template <class Call>
  void later(Call call) {
    asio::post(context_, [weak = weak_from_this(), call = std::move(call)]() mutable {
      if (const auto self = weak.lock(); self && !self->is_over_) call(*self);
    });
  }

  void read() {
    for (seconds wait = kFirstWireWait; !stopping_;) {
      bool was_up = false, is_forbidden = false;
      const auto ended = listen(was_up, is_forbidden);
      {
        std::unique_lock lock(mutex_);
        link_.reset();
        unsent_.clear();
        come_.notify_all();
      }
      if (!ended)
        later([why = base::to_text(ended.error())](NatsWire& self) { self.hands_.down(why); });
      if (was_up && !is_forbidden) wait = kFirstWireWait;
      std::unique_lock lock(mutex_);
      come_.wait_for(lock, is_forbidden ? kForbiddenWait : wait,
                     [this] { return stopping_.load(); });
      wait = std::min(wait * 2, kMostWireWait);
    }
  }

  // Until the connection is lost, or this is to end.
  base::result<void> listen(bool& was_up, bool& is_forbidden) {
    auto opened = BusLink::open(config_, kNoInbox);
    if (!opened) return base::Unexpected(opened.error());
    const std::shared_ptr<BusLink> link = std::move(*opened);
    natsSubscription* made = nullptr;
    natsStatus status = natsConnection_SubscribeSync(&made, link->connection(), subject_.c_str());
    const NatsSubscription messages(made);
    // What may not be listened to is told by the time that a question is answered.
    if (status == NATS_OK) status = natsConnection_FlushTimeout(link->connection(), kAnswered);
    if (status != NATS_OK) return link->fault(subject_, status);
    is_forbidden = link->is_forbidden();
    if (is_forbidden) return link->fault(subject_, NATS_NOT_PERMITTED);
    {
      const std::scoped_lock lock(mutex_);
      link_ = link;
    }
    was_up = true;
    later([](NatsWire& self) { self.hands_.up(); });
    while (!stopping_) {
      natsMsg* got = nullptr;
      status = natsSubscription_NextMsg(&got, made, kGlanceAtWire);
      const NatsMessage message(got);
      // What may not be published is told some time later.
      is_forbidden = link->is_forbidden();
      if (is_forbidden) return link->fault(subject_, NATS_NOT_PERMITTED);
      if (link->is_closed()) return link->fault("connection", NATS_CONNECTION_CLOSED);
      if (status == NATS_OK) hear(got);
      else if (status != NATS_TIMEOUT) return link->fault(subject_, status);
    }
    return {};
  }
  void hear(natsMsg* message) {
    if (unread_ >= kMostUnread) return;
    ++unread_;
    const auto text = [](const char* bytes) { return std::string(bytes != nullptr ? bytes : ""); };
    const char* const bytes = natsMsg_GetData(message);
    Message heard{text(natsMsg_GetSubject(message)), text(natsMsg_GetReply(message)),
                  std::string(bytes != nullptr ? bytes : "",
                              static_cast<std::size_t>(natsMsg_GetDataLength(message)))};
    later([heard = std::move(heard)](NatsWire& self) mutable {
      --self.unread_;
      self.hands_.heard(std::move(heard));
    });
  }

  // The loop waits for no broker.
  void write() {
    std::unique_lock lock(mutex_);
    for (;;) {
      come_.wait(lock, [this] { return stopping_ || !unsent_.empty(); });
      const std::shared_ptr<BusLink> link = link_;
      if (unsent_.empty() || !link) {
        if (!stopping_) continue;
        lock.unlock();
        if (link) natsConnection_FlushTimeout(link->connection(), kLastWords);
        return;
      }
      const Message message = std::move(unsent_.front());
      unsent_.pop_front();
      lock.unlock();
      send(*link, message);
      lock.lock();
    }
  }
  // One that does not go has not been heard: who waits for an answer gets none.
  static void send(const BusLink& link, const Message& message) {
    const auto size = static_cast<int>(std::min(message.text.size(), kMostMessage + 1));
    if (message.text.size() > kMostMessage) return;
    if (message.reply.empty())
      natsConnection_Publish(link.connection(), message.subject.c_str(), message.text.data(), size);
    else
      natsConnection_PublishRequest(link.connection(), message.subject.c_str(),
                                    message.reply.c_str(), message.text.data(), size);
  }

  asio::io_context& context_;
  const Config config_;
  const std::string subject_;
  const Hands hands_;
  bool is_over_ = false;
  std::atomic<std::size_t> unread_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable come_;
  std::deque<Message> unsent_;       // guarded by mutex_
  std::shared_ptr<BusLink> link_{};  // guarded by mutex_; null: there is none now
  std::thread reader_, writer_;
};

}  // namespace

std::shared_ptr<BusWire> BusWire::open(asio::io_context& context, Config config,
                                       std::string subject, Hands hands) {
  const auto wire =
      std::make_shared<NatsWire>(context, std::move(config), std::move(subject), std::move(hands));
  wire->begin();
  return wire;
}

}  // namespace polytrace::collector
#endif
