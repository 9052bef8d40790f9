// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/wall_clock.hpp"

namespace polytrace::collector {
namespace {

constexpr base::Time kClockAhead = 600 * kSecond;  // of our clock that others' may be
constexpr base::Time kClockBehind = 7 * 86'400 * kSecond;
// From now on, as far as any clock is ahead: so that nothing of a stream is awaited any more, and
// where it stands can be told.
constexpr base::Time kAllOpen = kClockAhead + RowMaker::kWindowsOfMinute * kWindow;
constexpr std::size_t kMostFigures = 200'000;  // in open windows of a stream: 16 MiB
constexpr std::uint32_t kMostNodes = 131'072;  // of each of its trees: 8 MiB
constexpr std::chrono::milliseconds kRestoreWait{1};

unsigned worker_count() { return std::max(1U, std::thread::hardware_concurrency()); }

std::size_t enough_bytes(const Config& config) {
  const bool publishes = !config.is_hub && !config.bus.url.empty();
  return publishes ? kEnoughBytesOfMessage : kEnoughBytesOfBlock;
}

template <class T, class Options>
base::result<T> open_in(const std::filesystem::path& folder, Options options) {
  if (auto made = make_folder(folder); !made) return base::Unexpected(made.error());
  return T::open(std::move(options));
}

}  // namespace

base::result<Pipeline::Kept> Pipeline::open_folder(const Config& config) {
  const std::filesystem::path folder = config.spool;
  if (auto made = make_folder(folder); !made) return base::Unexpected(made.error());
  auto name = name_of_folder(folder);
  if (!name) return base::Unexpected(name.error());
  auto spool = open_in<Spool>(folder / "raw", SpoolOptions{.folder = folder / "raw",
                                                           .bytes = config.spool_bytes,
                                                           .min_free = config.spool_min_free,
                                                           .age = config.spool_age});
  if (!spool) return base::Unexpected(spool.error());
  auto outbox = open_in<Outbox>(folder / "outbox", OutboxOptions{.folder = folder / "outbox",
                                                                 .bytes = config.outbox_bytes,
                                                                 .high = config.outbox_high});
  if (!outbox) return base::Unexpected(outbox.error());
  auto marks = ThinMarks::open(folder / "thinned", outbox->end());
  if (!marks) return base::Unexpected(marks.error());
  auto checkpoint = open_in<Checkpoint>(folder / "streams", folder / "streams");
  if (!checkpoint) return base::Unexpected(checkpoint.error());
  auto book = OwnerBook::open(folder / "owners");
  if (!book) return base::Unexpected(book.error());
  return Kept{std::move(*spool),      std::move(*outbox), std::move(*marks),
              std::move(*checkpoint), std::move(*book),   std::move(*name)};
}

base::result<std::unique_ptr<Pipeline>> Pipeline::open(const Config& config, Targets targets,
                                                       Figures& figures, Tell tell,
                                                       std::function<void()> news) {
  auto kept = open_folder(config);
  if (!kept) return base::Unexpected(kept.error());
  auto databases = databases_by_user(config);
  if (!databases) return base::Unexpected(databases.error());
  std::unique_ptr<Pipeline> made(new Pipeline(config, std::move(*kept), std::move(targets), figures,
                                              std::move(tell), std::move(news)));
  made->databases_ = std::move(*databases);
  if (auto opened = made->open_pins(made->name_); !opened) return base::Unexpected(opened.error());
  made->restore();
  made->keeper_ = std::make_unique<Keeper>(made->spool_, figures, made->tell_, made->hands());
  return made;
}

Pipeline::Pipeline(const Config& config, Kept kept, Targets targets, Figures& figures, Tell tell,
                   std::function<void()> news)
    : config_(config),
      figures_(figures),
      tell_(std::move(tell)),
      news_(std::move(news)),
      spool_(std::move(kept.spool)),
      outbox_(std::move(kept.outbox)),
      marks_(std::move(kept.marks)),
      checkpoint_(std::move(kept.checkpoint)),
      book_(std::move(kept.book)),
      name_(std::move(kept.name)),
      begun_(begin_of_folder(config.spool)),
      novelty_({config.new_names, config.new_stacks, config.new_programs, config.label_names}),
      labels_(config.labels),
      couriers_(outbox_, std::move(targets), name_, figures_, tell_),
      packer_(outbox_, marks_, fmt::format("{}.{}", name_, base::wall_seconds()),
              static_cast<std::uint32_t>(figures_.shards), enough_bytes(config), checkpoint_,
              figures_, tell_, [this] { couriers_.wake(); }),
      workers_(worker_count()) {}

Pipeline::~Pipeline() {
  if (keeper_) keeper_->stop();
  packer_.stop();
  workers_.stop();
  if (pins_) pins_->stop();
  couriers_.stop();
}

// What was kept and is not in rows for good goes on first: one pass over the spool for all streams.
void Pipeline::restore() {
  figures_.outbox_bytes = outbox_.bytes();
  const std::vector<std::uint64_t> ids = known_streams();
  for (const std::uint64_t id : ids) {
    auto stream = std::make_shared<Stream>(id, book_.find(id).value_or(Owner{}));
    stream->heard = base::wall_now();
    streams_.emplace(id, stream);
    if (database_of(stream->owner.user) == nullptr) {
      refuse(stream, Refused::tenant, std::string(text_of(Refused::tenant)));
      continue;
    }
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
  why = Refused::tenant;
  if (database_of(owner.user) == nullptr) return nullptr;
  StreamPtr stream = find(id);
  const bool is_new = !stream;
  if (is_new) {
    // One that was forgotten for its silence has its place on the disk.
    const auto known = book_.find(id);
    stream = std::make_shared<Stream>(id, known.value_or(owner));
    if (const auto held = spool_.held(id)) stream->kept = held->next_offset;
    stream->heard = base::wall_now();
  }
  why = stream->refused ? stream->why.load() : Refused::owner;
  if (stream->refused || !stream->owner.is_same(owner)) return nullptr;
  if (is_new) {
    note_owner(id, owner);
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

const std::string* Pipeline::database_of_stream(std::uint64_t id) {
  if (const StreamPtr stream = find(id)) return database_of(stream->owner.user);
  const auto known = book_.find(id);
  return known ? database_of(known->user) : nullptr;
}

void Pipeline::come(const StreamPtr& stream, std::uint64_t connection, std::uint64_t offset) {
  keeper_->begin(stream, connection, offset);
}
void Pipeline::take(const StreamPtr& stream, std::uint64_t connection,
                    std::vector<std::byte> bytes) {
  stream->heard = base::wall_now();
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
  options.most_open = kMostFigures;
  options.most_nodes = kMostNodes;
  options.novelty = &novelty_;
  return options;
}

const std::string* Pipeline::database_of(uid_t user) const {
  const auto found = databases_.find(user);
  if (found != databases_.end()) return &found->second;
  return config_.tenants.empty() ? &own_database_ : nullptr;
}

bool Pipeline::open_work(Stream& stream) {
  if (stream.work) return true;
  const std::string& database = *database_of(stream.owner.user);
  stream.work.emplace(
      stream.id, how(stream),
      [this, &stream, &database](Rows&& rows) {
        stream.pulse->learn(rows);
        look_at_rows(stream, database, rows);
        packer_.take(std::move(rows), database);
      },
      &checkpoint_);
  stream.told = {};
  const auto resumed = stream.work->resume();
  pins_->begin(stream.watch, stream.id, stream.work->next_block());
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
  if (stream->refused || block.index == BlockCutter::kHeader) return;
  if (!stream->work) {
    if (!open_work(*stream)) return refuse(stream, Refused::stream, "what was kept is damaged");
    // One that was put away goes on where it was; of one that was forgotten more may lie there.
    if (stream->work->next_block() != block.index) read_spool(*stream);
  }
  const base::Time now = base::wall_now();
  stream->work->accept({.oldest = now - kClockBehind, .newest = now + kClockAhead});
  const auto done = stream->work->block(block);
  stream->work->came(now);
  pins_->note(stream->watch, stream->id, block.index, stream->work->aggregator().last_wall());
  account(*stream);
  if (!done)
    return refuse(
        stream, done.error().code == base::Code::limit_exceeded ? Refused::limit : Refused::stream,
        base::to_text(done.error()));
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
  if (stream->refused || stream->finished) return;
  if (!stream->work && (stream->before.blocks == 0 || !open_work(*stream))) return;
  if (const auto ended = stream->work->finish(); !ended)
    tell_({Weight::warning, "checkpoint", stream->owner.name, stream->id,
           base::to_text(ended.error())});
  pins_->finish(stream->watch, stream->id, stream->work->next_block());
  account(*stream);
  stream->finished = true;
  tell_({Weight::news, "ended", stream->owner.name, stream->id,
         fmt::format("{} events in {} blocks; {} lost, {} blocks missing{}",
                     stream->before.events + stream->told.events,
                     stream->before.blocks + stream->told.blocks,
                     stream->before.lost + stream->told.lost,
                     stream->before.missing + stream->told.missing,
                     stream->work->is_cut_off() ? ", its end among them" : "")});
}

// Its memory is for others until it says something again: all of it is on the disk.
void Pipeline::put_away(Stream& stream) {
  if (stream.refused || stream.finished || !stream.work || stream.waiting != 0) return;
  const bool is_saved = stream.work->put_away();
  account(stream);
  if (!is_saved) return;
  stream.before.events += stream.told.events;
  stream.before.blocks += stream.told.blocks;
  stream.before.lost += stream.told.lost;
  stream.before.missing += stream.told.missing;
  stream.work.reset();
  stream.memory = 0;
}

void Pipeline::account(Stream& stream) {
  const StreamWork& work = *stream.work;
  const Stream::Counts now{work.events(), work.aggregator().refused(),
                           work.blocks(), work.blocks_missing(),
                           work.lost(),   work.faults()};
  figures_.events_total += now.events - stream.told.events;
  figures_.events_refused_total += now.events_refused - stream.told.events_refused;
  figures_.events_lost_total += now.lost - stream.told.lost;
  figures_.faults_total += now.faults - stream.told.faults;
  figures_.blocks_missing_total += now.missing - stream.told.missing;
  stream.told = now;
  stream.memory = work.bytes();
  stream.open_since = work.open_since();
  if (const base::Time skew = work.aggregator().skew(); skew != base::kNoTime) stream.skew = skew;
  stream.pulse->note(work.aggregator().last_wall());
  if (!stream.pulse->is_certain() && work.aggregator().has_clock())
    stream.pulse->suppose({work.aggregator().labels(), work.aggregator().ids().series});
  if (auto saved = stream.work->saved()) save(stream, std::move(*saved));
}

void Pipeline::refuse(const StreamPtr& stream, Refused why, const std::string& text) {
  stream->why = why;
  if (stream->refused.exchange(true)) return;
  tell_({Weight::warning, "refused", stream->owner.name, stream->id, text});
  add_news(stream);
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
                 [this, stream] { close_until(stream, base::wall_now() + kAllOpen); });
  const bool worked = workers_.finish(left());
  packer_.stop();
  workers_.stop();
  pins_->stop();
  const bool sent = couriers_.finish(left());
  couriers_.stop();
  return worked && sent;
}

void Pipeline::set_labels(const LabelList& labels) {
  const std::scoped_lock lock(mutex_);
  labels_ = labels;
}

}  // namespace polytrace::collector
