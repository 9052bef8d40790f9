// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::collector {
namespace {

constexpr base::Time kSecond10 = 10 * kSecond;
constexpr base::Time kClockAhead = 600 * kSecond;  // of our clock that others' may be
constexpr base::Time kClockBehind = 7 * 86'400 * kSecond;
constexpr base::Time kBehindEvents = 2 * kSecond;  // a window is open behind its end
constexpr base::Time kSilence = 30 * kSecond;
constexpr base::Time kLongSilence = 600 * kSecond;
constexpr std::chrono::milliseconds kRestoreWait{1};
constexpr unsigned kLooksToQuiet = 10;
constexpr unsigned kLooksToForget = 600;

base::Time wall_time() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

unsigned worker_count() { return std::max(1U, std::thread::hardware_concurrency()); }

bool has_ended(const Owner& owner) {
  return agent::control::start_time_of(owner.process) != owner.started;
}

template <class T, class Options>
base::result<T> open_in(const std::filesystem::path& folder, Options options) {
  if (auto made = make_folder(folder); !made) return base::Unexpected(made.error());
  return T::open(std::move(options));
}

}  // namespace

base::result<std::unique_ptr<Pipeline>> Pipeline::open(const Config& config, warehouse::Link link,
                                                       Figures& figures, Tell tell,
                                                       std::function<void()> news) {
  const std::filesystem::path folder = config.spool;
  if (auto made = make_folder(folder); !made) return base::Unexpected(made.error());
  auto name = name_of_folder(folder);
  if (!name) return base::Unexpected(name.error());
  auto spool = open_in<Spool>(folder / "raw", SpoolOptions{.folder = folder / "raw",
                                                           .bytes = config.spool_bytes,
                                                           .min_free = config.spool_min_free,
                                                           .age = config.spool_age});
  if (!spool) return base::Unexpected(spool.error());
  auto outbox = open_in<Outbox>(
      folder / "outbox", OutboxOptions{.folder = folder / "outbox", .bytes = config.outbox_bytes});
  if (!outbox) return base::Unexpected(outbox.error());
  auto checkpoint = open_in<Checkpoint>(folder / "streams", folder / "streams");
  if (!checkpoint) return base::Unexpected(checkpoint.error());
  auto book = OwnerBook::open(folder / "owners");
  if (!book) return base::Unexpected(book.error());
  std::unique_ptr<Pipeline> made(new Pipeline(
      config, std::move(*spool), std::move(*outbox), std::move(*checkpoint), std::move(*book),
      std::move(*name), std::move(link), figures, std::move(tell), std::move(news)));
  made->restore();
  made->keeper_ = std::make_unique<Keeper>(made->spool_, figures, made->tell_, made->hands());
  return made;
}

Pipeline::Pipeline(const Config& config, Spool spool, Outbox outbox, Checkpoint checkpoint,
                   OwnerBook book, std::string name, warehouse::Link link, Figures& figures,
                   Tell tell, std::function<void()> news)
    : config_(config),
      figures_(figures),
      tell_(std::move(tell)),
      news_(std::move(news)),
      spool_(std::move(spool)),
      outbox_(std::move(outbox)),
      checkpoint_(std::move(checkpoint)),
      book_(std::move(book)),
      labels_(config.labels),
      courier_(outbox_, std::move(link), std::move(name), figures_, tell_),
      packer_(outbox_, checkpoint_, figures_, tell_, [this] { courier_.wake(); }),
      workers_(worker_count()) {}

Pipeline::~Pipeline() {
  if (keeper_) keeper_->stop();
  packer_.stop();
  workers_.stop();
  courier_.stop();
}

// What was kept and is not in rows for good goes on first: one pass over the spool for all streams.
void Pipeline::restore() {
  std::vector<std::uint64_t> ids = spool_.streams();
  for (const std::uint64_t id : checkpoint_.streams()) ids.push_back(id);
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  for (const std::uint64_t id : ids) {
    auto stream = std::make_shared<Stream>(id, book_.find(id).value_or(Owner{}));
    stream->heard = wall_time();
    streams_.emplace(id, stream);
    workers_.add(stream->lane, [this, stream] {
      if (!open_work(*stream)) return refuse(stream, Refused::stream, "what was kept is damaged");
      stream->finished = stream->work->finished();
      stream->kept = stream->work->next_offset();
    });
  }
  workers_.finish();
  const std::size_t go_on = replay();
  for (const StreamPtr& stream : all())
    if (const auto held = spool_.held(stream->id); held && held->next_offset > stream->kept)
      stream->kept = held->next_offset;
  if (!ids.empty())
    tell_(
        {Weight::news,
         "restored",
         {},
         0,
         fmt::format("{} of {} go on", go_on, base::count_text(ids.size(), "stream", "streams"))});
}

// How many streams had not come to their end.
std::size_t Pipeline::replay() {
  std::unordered_map<std::uint64_t, std::uint64_t> begins;
  for (const StreamPtr& stream : all())
    if (!stream->refused && !stream->finished) begins[stream->id] = stream->work->next_block();
  const auto first = [&](std::uint64_t id) -> std::optional<std::uint64_t> {
    const auto from = begins.find(id);
    return from == begins.end() ? std::nullopt : std::optional(from->second);
  };
  const auto take = [&](std::uint64_t id, const BlockCutter::Block& block) {
    while (figures_.waiting_bytes > config_.credit) std::this_thread::sleep_for(kRestoreWait);
    const StreamPtr stream = find(id);
    stream->waiting += block.bytes.size();
    figures_.waiting_bytes += block.bytes.size();
    give({stream, block.index, block.offset, {block.bytes.begin(), block.bytes.end()}});
    return base::result<void>();
  };
  if (const auto done = spool_.replay(first, take); !done)
    tell_({Weight::warning, "spool", {}, 0, base::to_text(done.error())});
  return begins.size();
}

Keeper::Hands Pipeline::hands() {
  return {.give = [this](KeptBlock&& block) { give(std::move(block)); },
          .whole =
              [this](const StreamPtr& stream) {
                workers_.add(stream->lane, [this, stream] { finish(stream); });
              },
          .news = [this](const StreamPtr& stream) { add_news(stream); },
          .damaged = [this](const StreamPtr& stream,
                            const std::string& text) { refuse(stream, Refused::stream, text); }};
}

StreamPtr Pipeline::find(std::uint64_t id) {
  const std::scoped_lock lock(mutex_);
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

std::vector<StreamPtr> Pipeline::all() {
  const std::scoped_lock lock(mutex_);
  std::vector<StreamPtr> all;
  for (const auto& [id, stream] : streams_) all.push_back(stream);
  return all;
}

StreamPtr Pipeline::begin(std::uint64_t id, const Owner& owner, std::uint64_t connection,
                          Refused& why) {
  StreamPtr stream = find(id);
  const bool is_new = !stream;
  if (is_new) {
    // One that was forgotten for its silence has its place on the disk.
    const auto known = book_.find(id);
    stream = std::make_shared<Stream>(id, known.value_or(owner));
    if (const auto held = spool_.held(id)) stream->kept = held->next_offset;
    stream->heard = wall_time();
  }
  why = stream->refused ? stream->why.load() : Refused::owner;
  if (stream->refused || !stream->owner.is_same(owner)) return nullptr;
  if (is_new) {
    if (const auto noted = book_.note(id, owner); !noted)
      tell_({Weight::warning, "spool", owner.name, id, base::to_text(noted.error())});
    const std::scoped_lock lock(mutex_);
    streams_.emplace(id, stream);
  }
  stream->connection = connection;
  return stream;
}

std::uint64_t Pipeline::resume_offset(std::uint64_t id, const Owner& owner) {
  if (const StreamPtr stream = find(id))
    return !stream->refused && stream->owner.is_same(owner) ? stream->kept.load() : 0;
  const auto known = book_.find(id);
  const auto held = spool_.held(id);
  return known && held && known->is_same(owner) ? held->next_offset : 0;
}

void Pipeline::come(const StreamPtr& stream, std::uint64_t connection, std::uint64_t offset) {
  keeper_->begin(stream, connection, offset);
}
void Pipeline::take(const StreamPtr& stream, std::uint64_t connection,
                    std::vector<std::byte> bytes) {
  stream->heard = wall_time();
  keeper_->take(stream, connection, std::move(bytes));
}
void Pipeline::end(const StreamPtr& stream, std::uint64_t connection) {
  keeper_->end(stream, connection);
}
void Pipeline::leave(const StreamPtr& stream, std::uint64_t connection) {
  keeper_->leave(stream, connection);
}

std::vector<StreamPtr> Pipeline::take_news() {
  const std::scoped_lock lock(mutex_);
  for (const StreamPtr& stream : changed_) stream->in_news = false;
  return std::exchange(changed_, {});
}

void Pipeline::add_news(const StreamPtr& stream) {
  if (stream->in_news.exchange(true)) return;
  bool is_first = false;
  {
    const std::scoped_lock lock(mutex_);
    is_first = changed_.empty();
    changed_.push_back(stream);
  }
  if (is_first) news_();
}

void Pipeline::give(KeptBlock&& block) {
  auto shared = std::make_shared<KeptBlock>(std::move(block));
  Workers::Lane& lane = shared->stream->lane;
  workers_.add(lane, [this, shared] {
    work_on(shared->stream, shared->view());
    const std::size_t size = shared->bytes.size();
    shared->stream->waiting -= size;
    figures_.waiting_bytes -= size;
    add_news(shared->stream);
  });
}

// --- on the stream's worker ---

AggregatorOptions Pipeline::how(const Stream& stream) {
  AggregatorOptions options;
  {
    const std::scoped_lock lock(mutex_);
    options.labels = labels_;
  }
  options.labels.insert(options.labels.end(), stream.owner.labels.begin(),
                        stream.owner.labels.end());
  options.stream = stream.id;
  options.lag = kBehindEvents;
  options.live = true;
  return options;
}

bool Pipeline::open_work(Stream& stream) {
  if (stream.work) return true;
  stream.work.emplace(
      stream.id, how(stream), [this](Rows&& rows) { packer_.take(std::move(rows)); }, &checkpoint_);
  const auto resumed = stream.work->resume();
  if (!resumed)
    tell_({Weight::warning, "checkpoint", stream.owner.name, stream.id,
           base::to_text(resumed.error())});
  return resumed.has_value();
}

// What lies there and was never worked on, of a stream that was forgotten.
void Pipeline::read_spool(Stream& stream) {
  const auto read =
      spool_.replay(stream.id, stream.work->next_block(),
                    [&](const BlockCutter::Block& block) { return stream.work->block(block); });
  if (!read)
    tell_({Weight::warning, "spool", stream.owner.name, stream.id, base::to_text(read.error())});
}

void Pipeline::work_on(const StreamPtr& stream, const BlockCutter::Block& block) {
  if (stream->refused) return;
  if (!stream->work) {
    if (!open_work(*stream)) return refuse(stream, Refused::stream, "what was kept is damaged");
    read_spool(*stream);
  }
  const base::Time now = wall_time();
  stream->work->accept({.oldest = now - kClockBehind, .newest = now + kClockAhead});
  const auto done = stream->work->block(block);
  account(*stream);
  if (!done) return refuse(stream, Refused::stream, base::to_text(done.error()));
  if (stream->work->finished()) finish(stream);
}

void Pipeline::close_until(const StreamPtr& stream, base::Time wall) {
  if (stream->refused || !stream->work || stream->waiting != 0) return;
  if (const auto closed = stream->work->close_until(wall); !closed)
    tell_({Weight::warning, "checkpoint", stream->owner.name, stream->id,
           base::to_text(closed.error())});
  account(*stream);
}

void Pipeline::finish(const StreamPtr& stream) {
  if (stream->refused || stream->finished || !stream->work) return;
  if (const auto ended = stream->work->finish(); !ended)
    tell_({Weight::warning, "checkpoint", stream->owner.name, stream->id,
           base::to_text(ended.error())});
  account(*stream);
  stream->finished = true;
  tell_(
      {Weight::news, "ended", stream->owner.name, stream->id,
       fmt::format("{} events in {} blocks; {} lost, {} blocks missing", stream->work->events(),
                   stream->work->blocks(), stream->work->lost(), stream->work->blocks_missing())});
}

void Pipeline::account(Stream& stream) {
  const StreamWork& work = *stream.work;
  figures_.events_total += work.events() - std::exchange(stream.events, work.events());
  const std::uint64_t refused = work.aggregator().refused();
  figures_.events_refused_total += refused - std::exchange(stream.events_refused, refused);
  figures_.events_lost_total += work.lost() - std::exchange(stream.lost, work.lost());
  figures_.faults_total += work.faults() - std::exchange(stream.faults, work.faults());
  figures_.blocks_missing_total +=
      work.blocks_missing() - std::exchange(stream.missing, work.blocks_missing());
  stream.open_since = work.open_since();
  if (auto saved = stream.work->saved()) packer_.keep(stream.id, std::move(*saved));
}

void Pipeline::refuse(const StreamPtr& stream, Refused why, const std::string& text) {
  stream->why = why;
  if (stream->refused.exchange(true)) return;
  tell_({Weight::warning, "refused", stream->owner.name, stream->id, text});
  add_news(stream);
}

// --- now and then ---

void Pipeline::look_around() {
  const base::Time now = wall_time();
  base::Time oldest = now;
  ++looks_;
  for (const StreamPtr& stream : all()) {
    if (const base::Time since = stream->open_since; since != base::kNoTime)
      oldest = std::min(oldest, since + kSecond10);
    look_at(stream, now);
  }
  figures_.window_lag_seconds = static_cast<std::uint64_t>((now - oldest) / kSecond);
  if (looks_ % kLooksToForget == 0) forget_dropped();
}

void Pipeline::look_at(const StreamPtr& stream, base::Time now) {
  const bool is_gone = stream->connection == 0 && stream->waiting == 0;
  const base::Time silent = now - stream->heard;
  if (is_gone && (stream->refused || stream->finished || silent > kLongSilence)) {
    const std::scoped_lock lock(mutex_);
    streams_.erase(stream->id);
    return;
  }
  if (silent < kSilence || stream->waiting != 0 || looks_ % kLooksToQuiet != 0) return;
  if (stream->connection == 0 && has_ended(stream->owner))
    workers_.add(stream->lane, [this, stream] { finish(stream); });
  else if (stream->open_since != base::kNoTime)
    workers_.add(stream->lane,
                 [this, stream] { close_until(stream, wall_time() - kSilence + kBehindEvents); });
}

// Of streams that nobody can ask for any more.
void Pipeline::forget_dropped() {
  for (const std::uint64_t id : checkpoint_.streams()) {
    if (spool_.held(id) || find(id)) continue;
    checkpoint_.forget(id);
    book_.forget(id);
  }
}

bool Pipeline::drain(std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  const auto left = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(end - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration{}));
  };
  keeper_->stop();
  for (const StreamPtr& stream : all())
    workers_.add(stream->lane,
                 [this, stream] { close_until(stream, wall_time() + kSecond10 + kBehindEvents); });
  const bool worked = workers_.finish(left());
  packer_.stop();
  workers_.stop();
  const bool sent = courier_.finish(left());
  courier_.stop();
  return worked && sent;
}

void Pipeline::set_labels(const LabelList& labels) {
  const std::scoped_lock lock(mutex_);
  labels_ = labels;
}

}  // namespace polytrace::collector
