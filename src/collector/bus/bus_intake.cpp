// SPDX-License-Identifier: Apache-2.0
#if POLYTRACE_HAS_NATS
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "collector/bus/bus.hpp"
#include "collector/bus/bus_link.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

using BusClock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::int64_t kNano = 1'000'000'000;
constexpr std::int64_t kMaxAge = 24 * 3600 * kNano;
constexpr std::int64_t kDuplicateWindow = 120 * kNano;
constexpr std::int64_t kAckWait = 60 * kNano;
constexpr std::int64_t kMostOfLane = 64;  // that hubs have and have not answered
// What one hub has at once: of all lanes no more than waits for the outbox at most.
constexpr unsigned kAtOnce = 4;
constexpr seconds kAskLost{15};  // the question or its answer was lost
constexpr std::string_view kAsk = R"({"expires":10000000000,"batch":4})";
constexpr std::string_view kTaken = "+ACK";
constexpr std::string_view kNever = "+TERM";
constexpr std::string_view kSoon = R"(-NAK {"delay":5000000000})";
constexpr std::string_view kInAMinute = R"(-NAK {"delay":60000000000})";
constexpr std::uint64_t kTriesOfRefused = 10;
constexpr unsigned kMostRefused = 16;       // of a lane that wait: the others must have room
constexpr std::int64_t kGlanceAtBus = 250;  // milliseconds
constexpr seconds kFirstBusWait{1}, kMostBusWait{30};

// How often it came, by where its answer goes: $JS.ACK.[<domain>.<account>.]<stream>.<consumer>.N
std::uint64_t times_delivered(std::string_view reply) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t dot = reply.find('.');
    words.push_back(reply.substr(0, dot));
    if (dot == reply.npos) break;
    reply.remove_prefix(dot + 1);
  }
  const std::size_t at = words.size() > 9 ? 6 : 4;
  if (words.size() <= at) return 1;
  return service::parse_number<std::uint64_t>(words[at]).value_or(1);
}

std::string header_of(natsMsg* message, std::string_view field) {
  const char* value = nullptr;
  const bool has = natsMsgHeader_Get(message, std::string(field).c_str(), &value) == NATS_OK;
  return has && value != nullptr ? value : "";
}

// One connection with what is on its way. Answers come from any thread, also when nobody asks any
// more.
class BusSession : public std::enable_shared_from_this<BusSession> {
 public:
  BusSession(std::unique_ptr<BusLink> link, const BusIntake::Hands& hands, Figures& figures,
             Tell tell)
      : link_(std::move(link)), hands_(hands), figures_(figures), tell_(std::move(tell)) {}

  base::result<void> prepare(const Config& config);
  // One message, or none for a moment. Errors: the connection is no good any more.
  base::result<void> step();
  // Nobody may be given anything from now on.
  void end() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }

 private:
  struct Lane {
    unsigned to_come = 0;  // of what was asked for
    unsigned open = 0;     // at work
    unsigned refused = 0;  // that come again
    BusClock::time_point asked{};
    BusClock::time_point not_before{};
  };

  base::result<void> make_stream(const Config& config);
  base::result<void> make_consumer(std::uint32_t lane);
  void ask(std::uint32_t lane);
  void ask_where_due();
  base::result<void> hear_status(natsMsg* message, std::uint32_t lane);
  void hear_batch(natsMsg* message, Subject subject);
  void answer(std::uint32_t lane, const std::string& where, const std::string& who,
              const http::Reply& reply);
  std::string_view word_for(Lane& lane, unsigned status, std::uint64_t times);
  void send(const std::string& where, std::string_view word);

  const std::unique_ptr<BusLink> link_;
  const std::string inbox_ = "_INBOX.hub." + new_bus_name();
  const BusIntake::Hands& hands_;
  Figures& figures_;
  const Tell tell_;
  NatsSubscription messages_{};
  std::mutex mutex_;
  bool ended_ = false;
  std::array<Lane, kLanes> lanes_{};
};

base::result<void> BusSession::make_stream(const Config& config) {
  const char* subjects[] = {kStreamSubjects};
  jsStreamConfig wanted;
  jsStreamConfig_Init(&wanted);
  wanted.Name = kStream;
  wanted.Description = "rows of polytrace's edges on their way to hubs";
  wanted.Subjects = subjects;
  wanted.SubjectsLen = 1;
  wanted.Retention = js_WorkQueuePolicy;
  wanted.Discard = js_DiscardNew;
  wanted.Storage = js_FileStorage;
  wanted.MaxBytes = static_cast<std::int64_t>(config.bus.max_bytes);
  wanted.MaxAge = kMaxAge;
  wanted.MaxMsgSize = 1 << 20;
  wanted.Duplicates = kDuplicateWindow;
  wanted.Replicas = static_cast<std::int64_t>(config.bus.replicas);
  jsErrCode code{};
  // One that is there with other sizes gets ours; of another kind it stays, and that is told. To
  // add it would ask for its room a second time.
  natsStatus status = js_UpdateStream(nullptr, link_->stream(), &wanted, nullptr, &code);
  if (status != NATS_OK && code == JSStreamNotFoundErr)
    status = js_AddStream(nullptr, link_->stream(), &wanted, nullptr, &code);
  if (status != NATS_OK) return link_->fault(fmt::format("stream {}", kStream), status, code);
  return {};
}

base::result<void> BusSession::make_consumer(std::uint32_t lane) {
  const std::string name = fmt::format("hub-{}", lane);
  const std::string subject = fmt::format("pt.v1.*.rows.*.{}", lane);
  jsConsumerConfig wanted;
  jsConsumerConfig_Init(&wanted);
  wanted.Durable = name.c_str();
  wanted.AckPolicy = js_AckExplicit;
  wanted.AckWait = kAckWait;
  wanted.MaxAckPending = kMostOfLane;
  wanted.FilterSubject = subject.c_str();
  jsErrCode code{};
  const natsStatus status =
      js_AddConsumer(nullptr, link_->stream(), kStream, &wanted, nullptr, &code);
  if (status != NATS_OK) return link_->fault("consumer " + name, status, code);
  return {};
}

base::result<void> BusSession::prepare(const Config& config) {
  if (auto made = make_stream(config); !made) return made;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    if (auto made = make_consumer(lane); !made) return made;
  natsSubscription* made = nullptr;
  natsStatus status =
      natsConnection_SubscribeSync(&made, link_->connection(), (inbox_ + ".*").c_str());
  messages_.reset(made);
  // As much as was asked for is no slow reader.
  if (status == NATS_OK) status = natsSubscription_SetPendingLimits(made, -1, -1);
  if (status != NATS_OK) return link_->fault("inbox", status);
  return {};
}

// Under the lock.
void BusSession::ask(std::uint32_t number) {
  Lane& lane = lanes_[number];
  lane.asked = BusClock::now();
  if (ended_ || hands_.is_full()) return;
  const std::string subject = fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.hub-{}", kStream, number);
  const std::string inbox = fmt::format("{}.{}", inbox_, number);
  const natsStatus status =
      natsConnection_PublishRequest(link_->connection(), subject.c_str(), inbox.c_str(),
                                    kAsk.data(), static_cast<int>(kAsk.size()));
  lane.to_come = status == NATS_OK ? kAtOnce : 0;
}

void BusSession::ask_where_due() {
  const std::scoped_lock lock(mutex_);
  const auto now = BusClock::now();
  for (std::uint32_t number = 0; number < kLanes; ++number) {
    Lane& lane = lanes_[number];
    if (lane.to_come != 0 && now - lane.asked > kAskLost) lane.to_come = 0;
    if (lane.to_come == 0 && lane.open == 0 && now >= lane.not_before) ask(number);
  }
}

base::result<void> BusSession::step() {
  ask_where_due();
  natsMsg* got = nullptr;
  const natsStatus status = natsSubscription_NextMsg(&got, messages_.get(), kGlanceAtBus);
  const NatsMessage message(got);
  if (link_->is_closed()) return link_->fault("connection", NATS_CONNECTION_CLOSED);
  if (status == NATS_TIMEOUT) return {};
  if (status != NATS_OK) return link_->fault("messages", status);
  const std::string_view subject = natsMsg_GetSubject(got);
  if (subject.starts_with(inbox_)) {
    const auto lane = service::parse_number<std::uint32_t>(
        subject.substr(std::min(subject.size(), inbox_.size() + 1)));
    return lane && *lane < kLanes ? hear_status(got, *lane) : base::result<void>{};
  }
  if (auto parsed = parse_subject(subject)) hear_batch(got, std::move(*parsed));
  else if (natsMsg_GetReply(got) != nullptr) send(natsMsg_GetReply(got), kNever);
  return {};
}

// The end of what a question brings.
base::result<void> BusSession::hear_status(natsMsg* message, std::uint32_t number) {
  const std::string status = header_of(message, "Status");
  // Nobody is there to ask: the stream or its consumer is gone.
  if (natsMsg_IsNoResponders(message))
    return link_->fault(fmt::format("consumer hub-{}", number), NATS_NO_RESPONDERS);
  if (status.starts_with("1")) return {};  // it is still there
  const std::scoped_lock lock(mutex_);
  Lane& lane = lanes_[number];
  lane.to_come = 0;
  // But for a question that was there long enough.
  if (status != "408") lane.not_before = BusClock::now() + seconds(1);
  return {};
}

void BusSession::hear_batch(natsMsg* message, Subject subject) {
  const std::uint32_t lane = subject.lane;
  {
    const std::scoped_lock lock(mutex_);
    lanes_[lane].to_come -= lanes_[lane].to_come != 0;
    ++lanes_[lane].open;
  }
  Call call;
  call.request.method = "POST";
  call.request.target = "/v1/rows/" + subject.table;
  for (const std::string_view field : {kEdgeField, kBatchField, kBeforeField})
    call.request.fields.push_back({std::string(field), header_of(message, field)});
  const char* const bytes = natsMsg_GetData(message);
  call.request.body.assign(bytes != nullptr ? bytes : "",
                           static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  const std::string& edge = call.request.fields[0].value;
  call.caller.name = is_short_name(edge) ? edge : "bus";
  call.caller.tenant = std::move(subject.tenant);
  call.rest = std::move(subject.table);
  const char* const reply = natsMsg_GetReply(message);
  call.done = [self = shared_from_this(), lane, who = call.caller.name,
               where = std::string(reply != nullptr ? reply : "")](const http::Reply& answer) {
    self->answer(lane, where, who, answer);
  };
  hands_.take(std::move(call));
}

// Under the lock.
std::string_view BusSession::word_for(Lane& lane, unsigned status, std::uint64_t times) {
  const bool comes_again = times > 1 && lane.refused != 0;
  if (status == 429 || status == 503) return kSoon;
  if (status == 200 || times >= kTriesOfRefused || (!comes_again && lane.refused >= kMostRefused)) {
    lane.refused -= comes_again ? 1 : 0;
    return status == 200 ? kTaken : kNever;
  }
  lane.refused += comes_again ? 0 : 1;
  return kInAMinute;
}

void BusSession::answer(std::uint32_t number, const std::string& where, const std::string& who,
                        const http::Reply& reply) {
  const std::uint64_t times = times_delivered(where);
  std::string_view word;
  {
    const std::scoped_lock lock(mutex_);
    Lane& lane = lanes_[number];
    word = word_for(lane, reply.status, times);
    lane.open -= lane.open != 0;
    if (word == kSoon) lane.not_before = BusClock::now() + seconds(1);
  }
  send(where, word);
  if (word == kNever) {
    ++figures_.bus_refused_total;
    tell_({Weight::warning, "bus", who, 0,
           fmt::format("a batch was refused {} times and is dropped: {}", times,
                       reply.body.substr(0, reply.body.find('\n')))});
  }
  const std::scoped_lock lock(mutex_);
  Lane& lane = lanes_[number];
  if (lane.to_come == 0 && lane.open == 0 && word == kTaken) ask(number);
}

void BusSession::send(const std::string& where, std::string_view word) {
  // What gets lost of this is answered when the message comes again.
  natsConnection_Publish(link_->connection(), where.c_str(), word.data(),
                         static_cast<int>(word.size()));
}

class NatsIntake final : public BusIntake {
 public:
  NatsIntake(const Config& config, Hands hands, Figures& figures, Tell tell)
      : config_(config), hands_(std::move(hands)), figures_(figures), tell_(std::move(tell)) {
    figures_.bus_up = 0;
    thread_ = std::thread([this] { run(); });
  }
  ~NatsIntake() override {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      come_.notify_one();
    }
    thread_.join();
    figures_.bus_up = 0;
  }

 private:
  void run() {
    for (seconds wait = kFirstBusWait; !stopping_;) {
      const auto ended = serve();
      const bool was_up = figures_.bus_up.exchange(0) == 1;
      if (was_up) wait = kFirstBusWait;
      if (!ended && (was_up || !told_))
        tell_({Weight::warning,
               "bus",
               {},
               0,
               base::to_text(ended.error()) + "; rows wait in the stream, or with edges"});
      told_ = true;
      std::unique_lock lock(mutex_);
      come_.wait_for(lock, wait, [this] { return stopping_.load(); });
      wait = std::min(wait * 2, kMostBusWait);
    }
  }

  // Until the connection is lost, or this is to end.
  base::result<void> serve() {
    auto link = BusLink::open(config_, "_INBOX.hub");
    if (!link) return base::Unexpected(link.error());
    const auto session = std::make_shared<BusSession>(std::move(*link), hands_, figures_, tell_);
    if (auto ready = session->prepare(config_); !ready) return ready;
    figures_.bus_up = 1;
    tell_({Weight::news, "bus", {}, 0, config_.bus.url + " gives rows"});
    base::result<void> well;
    while (well && !stopping_) well = session->step();
    session->end();
    return well;
  }

  const Config& config_;
  const Hands hands_;
  Figures& figures_;
  const Tell tell_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::atomic<bool> stopping_{false};
  bool told_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<BusIntake> BusIntake::open(const Config& config, Hands hands, Figures& figures,
                                           Tell tell) {
  return std::make_unique<NatsIntake>(config, std::move(hands), figures, std::move(tell));
}

}  // namespace polytrace::collector
#endif
