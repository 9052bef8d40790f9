// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/trace_intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/wall_clock.hpp"
#include "collector/foreign/profile_request.hpp"
#include "collector/hub/block_intake.hpp"
#include "collector/hub/outbox_push.hpp"
#include "collector/hub/piece_head.hpp"
#include "collector/keep/uploads.hpp"
#include "collector/push/push.hpp"
#include "collector/push/upload.hpp"
#include "service/json/parts.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMostRemembered = 64;
constexpr std::chrono::minutes kRemembers{10}, kReadingWithin{15};
constexpr std::size_t kMostWhoWait = 8;  // for the end of one file
constexpr std::size_t kMostTold = 500;   // processes of one file: half a MiB of JSON
constexpr Time kOldestTaken = 7 * 86'400 * kSecond;
constexpr std::string_view kOwnDatabase = "own-database";  // no name of a database has a "-"
constexpr std::string_view kNowhere = "nowhere: who pushed it has the file";

http::Reply later(unsigned status, std::string text, unsigned seconds) {
  return come_again(status, std::move(text) + "\n", seconds);
}

// How far it is.
http::Reply told_range(unsigned status, std::uint64_t size, std::string text) {
  http::Reply reply = plain(status, std::move(text) + "\n");
  if (size != 0) reply.fields.push_back({"Range", fmt::format("bytes=0-{}", size - 1)});
  return reply;
}

UploadLimits limits_of(const Config& config) {
  const bool is_shared = config.tenants.size() > 1;
  return {.folder = std::filesystem::path(config.spool) / "uploads",
          .bytes = config.upload_bytes,
          .bytes_of_owner = is_shared ? config.upload_bytes / 2 : config.upload_bytes,
          .min_free = config.spool_min_free,
          .age = config.upload_age};
}

// Ends a pass that takes too long: what is packed well may be any number of bytes.
class ReadingTime final : public service::Watcher {
 public:
  ReadingTime(const std::atomic<bool>& ends, std::atomic<bool>& stop) : ends_(ends), stop_(stop) {}
  void update(const base::Source&) override {
    if (ends_ || std::chrono::steady_clock::now() > until_) stop_ = true;
  }

 private:
  const std::atomic<bool>& ends_;
  std::atomic<bool>& stop_;
  const std::chrono::steady_clock::time_point until_ =
      std::chrono::steady_clock::now() + kReadingWithin;
};

class OwnTraceIntake final : public TraceIntake {
 public:
  OwnTraceIntake(Outbox& outbox, const Config& config, std::uint32_t shards,
                 std::function<void()> more, Figures& figures, Tell tell, Uploads uploads)
      : outbox_(outbox),
        config_(config),
        shards_(shards),
        more_(std::move(more)),
        figures_(figures),
        tell_(std::move(tell)),
        uploads_(std::move(uploads)) {
    show();
  }
  ~OwnTraceIntake() override {
    stopping_ = true;
    pieces_.stop();
    pieces_.join();
    readers_.stop();
    readers_.join();
  }

  void add_to(Routes& routes) override {
    const auto whole = std::ranges::find(routes, kTracesPath, &Route::path);
    whole->answer = [this, before = std::move(whole->answer)](Call call) {
      is_piece(call.request) ? take(std::move(call)) : before(std::move(call));
    };
  }
  void look_around() override {
    asio::post(pieces_, [this] {
      const std::scoped_lock lock(mutex_);
      uploads_.drop_old([this](const UploadName& name) { return being_read_.contains(name); });
      show();
    });
  }

 private:
  struct Remembered {
    UploadName name;
    std::string answer;
    std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
  };

  void take(Call call) {
    const std::string* const database = database_of(call.caller, config_.tenants);
    if (database == nullptr)
      return call.done(
          refuse_call(figures_, tell_, Refused::tenant, 403, call, "there is no such tenant here"));
    const auto head = parse_piece(call.request);
    if (!head)
      return call.done(
          refuse_call(figures_, tell_, Refused::upload, 400, call, base::to_text(head.error())));
    const std::uint64_t size = call.request.body.size();
    if (waiting_ + size > kMostWaitingPieces)
      return call.done(later(429, "too many pieces wait for the disk", 1));
    waiting_ += size;
    UploadName name{database->empty() ? std::string(kOwnDatabase) : *database, head->id,
                    head->total};
    auto held = std::make_shared<Call>(std::move(call));
    asio::post(pieces_, [this, held, name = std::move(name), first = head->first,
                         database = *database, size] {
      keep(held, name, first, database);
      waiting_ -= size;
    });
  }

  // On the thread of pieces.
  void keep(const std::shared_ptr<Call>& call, const UploadName& name,
            std::optional<std::uint64_t> first, const std::string& database) {
    const std::scoped_lock lock(mutex_);
    while (!done_.empty() && done_.front().at + kRemembers < std::chrono::steady_clock::now())
      done_.pop_front();
    const auto known = std::ranges::find(done_, name, &Remembered::name);
    if (known != done_.end()) return call->done({.body = known->answer});
    if (const auto reading = being_read_.find(name); reading != being_read_.end()) {
      if (reading->second.size() >= kMostWhoWait)
        return call->done(later(503, "it is being read: ask again", 5));
      return reading->second.push_back(call);
    }
    if (first) {
      const auto kept = uploads_.append(name, *first, std::as_bytes(std::span(call->request.body)));
      call->request.body = {};
      show();
      if (!kept) return call->done(refusal_of(*call, name, kept.error()));
    }
    const std::uint64_t size = uploads_.size_of(name);
    if (size < name.total) return call->done(told_range(308, size, "go on there"));
    if (being_read_.size() >= kMostWaitingFiles)
      return call->done(later(429, "too many files wait to be read", 5));
    being_read_[name].push_back(call);
    asio::post(readers_, [this, call, name, database] { read(*call, name, database); });
  }
  http::Reply refusal_of(const Call& call, const UploadName& name, const UploadRefusal& why) {
    if (why.fault == UploadFault::room) {
      figures_.refuse(Refused::upload);
      return later(429, why.text, 60);
    }
    if (why.fault == UploadFault::disk) {
      tell_({Weight::warning, "uploads", call.caller.name, 0, why.text});
      return later(503, "the piece cannot be written", 10);
    }
    const bool is_order = why.fault == UploadFault::order;
    http::Reply reply =
        refuse_call(figures_, tell_, Refused::upload, is_order ? 416 : 413, call, why.text);
    if (is_order) reply = told_range(416, uploads_.size_of(name), why.text);
    return reply;
  }

  // On the thread of readers. A file that is to come again stays.
  void read(const Call& call, const UploadName& name, const std::string& database) {
    http::Reply reply = answer_to_file(call, name, database);
    if (stopping_) return;
    const std::scoped_lock lock(mutex_);
    const bool comes_again = reply.status == 429 || reply.status == 503;
    if (!comes_again) uploads_.remove(name);
    if (reply.status == 200) done_.push_back({name, reply.body});
    if (done_.size() > kMostRemembered) done_.pop_front();
    show();
    const auto who_wait = being_read_.extract(name);
    for (const auto& who : who_wait.mapped()) who->done(reply);
  }
  http::Reply answer_to_file(const Call& call, const UploadName& name,
                             const std::string& database) {
    const std::string path = uploads_path(name);
    const auto query = parse_push_query(call.request.target);
    if (!query)
      return refuse_call(figures_, tell_, Refused::upload, 400, call, base::to_text(query.error()));
    const auto id = upload_id(path, call.request.query());
    if (!id || *id != name.id)
      return refuse_call(
          figures_, tell_, Refused::upload, 400, call,
          fmt::format("{} is not that of these bytes and labels: send it anew", kUploadField));
    if (outbox_.over_high()) return later(429, std::string(text_of(Refused::high)), 30);
    const auto target = push_to_outbox(outbox_, {database, shards_, more_});
    std::atomic<bool> stop{false};
    const service::Input input(
        {.file = path, .workers = 1},
        {.watch = [&] { return std::make_unique<ReadingTime>(stopping_, stop); }, .stop = &stop});
    const Time now = base::wall_now();
    PushOptions options{.starts = query->starts, .now = now, .oldest = now - kOldestTaken};
    options.place = kNowhere;
    if (config_.is_edge) options.labels = config_.labels;
    options.labels.insert(options.labels.end(), query->labels.begin(), query->labels.end());
    auto pushed = push_any(input, *target, options);
    if (!pushed && target->error())
      return later(target->error()->code == base::Code::limit_exceeded ? 429 : 503,
                   base::to_text(*target->error()), 30);
    if (stop)
      return refuse_call(
          figures_, tell_, Refused::upload, 413, call,
          fmt::format("it takes longer than {} min to read", kReadingWithin.count()));
    if (!pushed)
      return refuse_call(figures_, tell_, Refused::upload, 400, call,
                         service::sentence(pushed.error().error));
    return taken(call, *query, *pushed);
  }
  std::string uploads_path(const UploadName& name) const {
    const std::scoped_lock lock(mutex_);
    return uploads_.path_of(name).string();
  }

  // Told by the name that it has where it was.
  http::Reply taken(const Call& call, const PushQuery& query, std::vector<Pushed>& pushed) {
    const auto file = std::ranges::find(query.labels, "file", &LabelList::value_type::first);
    std::uint64_t events = 0;
    for (Pushed& one : pushed) {
      one.reading.origin.file = file == query.labels.end() ? std::string() : file->second;
      events += one.events;
      figures_.events_refused_total += one.refused;
    }
    ++figures_.traces_taken_total;
    tell_({Weight::news, "pushed", call.caller.name, 0,
           fmt::format("a file with {}", base::count_text(events, "event", "events"))});
    const std::size_t told = std::min(pushed.size(), kMostTold);
    return {.body = push_json({pushed.data(), told}, pushed.size() - told)};
  }

  void show() {
    figures_.uploads = uploads_.count();
    figures_.upload_bytes = uploads_.bytes();
  }

  Outbox& outbox_;
  const Config& config_;
  const std::uint32_t shards_;
  const std::function<void()> more_;
  Figures& figures_;
  Tell tell_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> waiting_{0};  // bytes of pieces
  mutable std::mutex mutex_;               // guards what follows
  Uploads uploads_;
  std::map<UploadName, std::vector<std::shared_ptr<Call>>> being_read_{};  // and who waits
  std::deque<Remembered> done_{};  // so that who heard no answer hears it yet
  asio::thread_pool readers_{1};
  asio::thread_pool pieces_{1};
};

}  // namespace

base::result<std::unique_ptr<TraceIntake>> TraceIntake::open(Outbox& outbox, const Config& config,
                                                             std::uint32_t shards,
                                                             std::function<void()> more,
                                                             Figures& figures, Tell tell) {
  auto uploads = Uploads::open(limits_of(config));
  if (!uploads) return base::Unexpected(uploads.error());
  return std::make_unique<OwnTraceIntake>(outbox, config, shards, std::move(more), figures,
                                          std::move(tell), std::move(*uploads));
}

}  // namespace polytrace::collector
