// SPDX-License-Identifier: Apache-2.0
#include "collector/live/stream_work.hpp"

#include <fmt/format.h>

#include <deque>

#include "base/codes.hpp"
#include "collector/live/definitions.hpp"
#include "collector/live/live_reader.hpp"
#include "collector/live/saved_state.hpp"
#include "format/native/framing.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::collector {
namespace {

using base::Code;

// Of a closing: the stream was ended without its last block.
constexpr base::Time kForGood = INT64_MAX;

// Calls, which an agent forgets once somebody has them; the rest it keeps for who comes late.
bool has_calls(base::Bytes block) {
  const format::native::BlockHeader header = format::native::load_header(block.data());
  return header.content == format::native::Content::events &&
         (header.segment & format::native::kFromRecords) == 0;
}

AggregatorOptions for_live(AggregatorOptions options, std::uint64_t stream) {
  options.stream = stream;
  options.live = true;
  return options;
}

}  // namespace

struct StreamWork::State {
  State(std::uint64_t number, AggregatorOptions options, Aggregator::Sink sink, Checkpoint* to,
        StreamOptions asked)
      : stream(number),
        kept(to),
        limits(asked),
        aggregator(for_live(std::move(options), number), std::move(sink)),
        reader(number) {}

  base::result<void> take(const BlockCutter::Block& block);
  base::result<void> learn(const BlockCutter::Block& block);
  void go_on();
  base::result<void> define(base::Bytes bytes);
  base::result<void> check_limits() const;
  void tell_gap(std::uint64_t missing);
  void apply_closings(std::uint64_t block);
  void end();
  void cut_off();
  base::result<void> note(base::Time until);
  void look_whether_saved();
  void begin_to_save();
  base::result<void> take_over_definitions(base::Bytes bytes);

  std::uint64_t stream;
  Checkpoint* kept;
  StreamOptions limits;
  Aggregator aggregator;
  LiveReader reader;
  std::uint64_t next = 0;
  std::uint64_t offset = sizeof(format::native::StreamHeader);
  std::uint64_t definitions = 0;   // bytes of them that are kept
  std::deque<Closing> closings{};  // of before, to be done again
  std::vector<Closing> since{};    // that were done since the last that was saved
  // Of elsewhere, until its blocks are there from which it is to be counted.
  std::optional<GoingOn> adopted{};
  std::uint64_t counts_from = 0;
  bool counts = false;             // calls came, or it went on from what is kept here
  std::optional<Saved> awaited{};  // its rows are not all out
  std::optional<Saved> ready{};
  std::uint64_t done = 0;
  base::Time saved_at = base::kNoTime;
  std::uint64_t saved_block = 0;
  std::uint64_t events = 0;
  std::uint64_t blocks = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t missing = 0;
  std::uint64_t without_clock = 0;
  bool ended = false;
  bool is_cut_off = false;
};

base::result<void> StreamWork::State::define(base::Bytes bytes) {
  if (kept == nullptr || bytes.empty()) return {};
  if (auto done_so = kept->define(stream, definitions, bytes); !done_so) return done_so;
  definitions += bytes.size();
  return {};
}

base::result<void> StreamWork::State::check_limits() const {
  const slice::Names& names = aggregator.names();
  struct Bound {
    std::uint64_t has, most;
    std::string_view what;
  };
  const Bound bounds[] = {{names.methods().size(), limits.most_methods, "methods"},
                          {names.classes().size(), limits.most_classes, "classes"},
                          {names.threads().size(), limits.most_threads, "threads"},
                          {aggregator.open_calls(), limits.most_open_calls, "open calls"},
                          {definitions, limits.most_definitions, "bytes of definitions"}};
  for (const Bound& bound : bounds)
    if (bound.has > bound.most)
      return base::fail(Code::limit_exceeded,
                        fmt::format("more than {} {}", bound.most, bound.what));
  if (aggregator.is_one_too_many())
    return base::fail(Code::limit_exceeded, "too many new programs in one day");
  return {};
}

// Each missing block had one event at least.
void StreamWork::State::tell_gap(std::uint64_t blocks_lost) {
  missing += blocks_lost;
  if (aggregator.latest() == base::kNoTime) return;
  event::Batch batch;
  event::Lost lost;
  lost.records = blocks_lost;
  lost.reason = "blocks are missing";
  batch.add(aggregator.latest(), batch.thread_slot(base::kNoId), base::kNoId, lost);
  aggregator.consume(batch);
}

void StreamWork::State::apply_closings(std::uint64_t block) {
  for (; !closings.empty() && closings.front().block <= block && !ended; closings.pop_front()) {
    since.push_back(closings.front());
    if (closings.front().until == kForGood) cut_off();
    else aggregator.close_until(closings.front().until);
  }
}

void StreamWork::State::end() {
  aggregator.finish();
  ended = true;
  ready = Saved{next, offset, definitions, ended_bytes(), {}};
  awaited.reset();
  done = next;
}

// How much is behind what came, nobody knows: the last block at least.
void StreamWork::State::cut_off() {
  tell_gap(1);
  is_cut_off = true;
  end();
}

// Before its rows are anywhere: when they are made again, they must be the same ones.
base::result<void> StreamWork::State::note(base::Time until) {
  since.push_back({next, until});
  return kept == nullptr ? base::result<void>() : kept->note(stream, since.back());
}

void StreamWork::State::look_whether_saved() {
  if (!awaited || aggregator.awaits()) return;
  done = awaited->done;
  awaited->closings = since;
  ready = std::move(awaited);
  awaited.reset();
}

void StreamWork::State::begin_to_save() {
  if (kept == nullptr || awaited || adopted) return;
  const auto going_on = aggregator.going_on();
  if (!going_on) return;
  awaited = Saved{next, offset, definitions, state_bytes(*going_on), {}};
  since.clear();
  saved_at = aggregator.latest();
  saved_block = next;
  look_whether_saved();
}

// Of a block that is counted elsewhere what later ones need.
base::result<void> StreamWork::State::learn(const BlockCutter::Block& block) {
  next = block.index + 1;
  offset = block.offset + block.bytes.size();
  const bool whole = is_context(block.bytes);
  base::result<void> learned = whole ? define(block.bytes) : base::result<void>();
  reader.read(block.bytes, [&](const event::Batch& batch) {
    if (whole) aggregator.consume(batch);
    const std::vector<std::byte> named = definitions_of(batch, block.index);
    if (named.empty() || !learned) return;
    learned = define(named);
    if (learned) learned = take_over_definitions(named);
  });
  return learned ? check_limits() : learned;
}

void StreamWork::State::go_on() {
  aggregator.go_on(*adopted);
  adopted.reset();
  next = saved_block = counts_from;
  saved_at = aggregator.latest();
}

base::result<void> StreamWork::State::take(const BlockCutter::Block& block) {
  if (block.index > next) {
    if (!counts) aggregator.begin_apart();
    tell_gap(block.index - next);
  }
  counts = counts || has_calls(block.bytes);
  aggregator.begin_block(block.index);
  next = block.index + 1;
  offset = block.offset + block.bytes.size();
  ++blocks;
  base::result<void> kept_so;
  if (kept != nullptr && is_context(block.bytes)) kept_so = define(block.bytes);
  reader.read(block.bytes, [&](const event::Batch& batch) {
    events += batch.events.size();
    if (!aggregator.consume(batch)) ++without_clock;
    if (kept != nullptr && kept_so) kept_so = define(definitions_of(batch, block.index));
  });
  if (kept_so) kept_so = check_limits();
  return kept_so;
}

StreamWork::StreamWork(std::uint64_t stream, AggregatorOptions options, Aggregator::Sink sink,
                       Checkpoint* kept, StreamOptions limits)
    : state_(std::make_unique<State>(stream, std::move(options), std::move(sink), kept, limits)) {}
StreamWork::StreamWork(StreamWork&&) noexcept = default;
StreamWork& StreamWork::operator=(StreamWork&&) noexcept = default;
StreamWork::~StreamWork() = default;

base::result<void> StreamWork::State::take_over_definitions(base::Bytes bytes) {
  LiveReader plain(stream);
  BlockCutter cutter(sizeof(format::native::StreamHeader));
  auto cut = cutter.feed(bytes, [&](const BlockCutter::Block& block) -> base::result<void> {
    (is_context(block.bytes) ? reader : plain).read(block.bytes, [&](const event::Batch& batch) {
      aggregator.consume(batch);
    });
    return {};
  });
  if (cut && cutter.held() != 0) return base::fail(Code::block_damaged);
  return cut;
}

base::result<void> StreamWork::resume() {
  State& state = *state_;
  if (state.kept == nullptr) return {};
  auto known = state.kept->load(state.stream);
  if (!known) return base::Unexpected(known.error());
  if (!*known) return {};
  Checkpoint::Known& found = **known;
  state.closings.assign(found.closings.begin(), found.closings.end());
  if (found.saved.state.empty()) return {};  // nothing but closings
  const auto saved = read_state_bytes(found.saved.state);
  if (!saved) return base::fail(Code::block_damaged, "what was saved of the stream is damaged");
  if (auto done = state.take_over_definitions(found.definitions); !done) return done;
  if (!saved->ended && found.saved.definitions == 0) {
    state.adopted = saved->going_on;
    state.counts_from = state.done = found.saved.done;
    return {};
  }
  if (!saved->ended) state.aggregator.go_on(saved->going_on);
  state.ended = saved->ended;
  state.counts = true;
  state.next = state.done = state.saved_block = found.saved.done;
  state.offset = found.saved.offset;
  state.definitions = found.saved.definitions;
  state.saved_at = state.aggregator.latest();
  return {};
}

base::result<void> StreamWork::block(const BlockCutter::Block& block) {
  State& state = *state_;
  if (block.index == BlockCutter::kHeader) return {};
  if (state.adopted && block.index >= state.counts_from) state.go_on();
  if (!state.adopted) state.apply_closings(block.index);
  if (state.ended || block.index < state.next) {
    ++state.duplicate;
    return {};
  }
  if (state.adopted) return state.learn(block);
  if (auto done = state.take(block); !done) return done;
  if (is_end(block.bytes)) {
    state.end();
    return {};
  }
  state.look_whether_saved();
  const base::Time latest = state.aggregator.latest();
  if (state.saved_at == base::kNoTime && latest != base::kNoTime) state.saved_at = latest;
  if (latest != base::kNoTime && latest >= state.saved_at &&
      base::elapsed(state.saved_at, latest) >= static_cast<std::uint64_t>(state.limits.save_each))
    state.begin_to_save();
  return {};
}

base::result<void> StreamWork::close_until(base::Time wall) {
  State& state = *state_;
  if (state.adopted) return {};
  state.apply_closings(kForGood);
  const base::Time closes = state.aggregator.closes_next();
  if (state.ended || closes == base::kNoTime || wall < closes) return {};
  if (auto done = state.note(wall); !done) return done;
  state.aggregator.close_until(wall);
  state.look_whether_saved();
  if (state.saved_block != state.next) state.begin_to_save();
  return {};
}

base::result<void> StreamWork::finish() {
  State& state = *state_;
  if (state.adopted) state.go_on();
  state.apply_closings(kForGood);
  if (state.ended) return {};
  if (auto done = state.note(kForGood); !done) return done;
  state.cut_off();
  return {};
}

bool StreamWork::put_away() {
  State& state = *state_;
  if (state.ended || state.awaited || state.ready) return false;
  if (state.saved_block == state.next && state.done == state.next) return state.next != 0;
  state.begin_to_save();
  return false;
}

std::optional<Saved> StreamWork::saved() { return std::exchange(state_->ready, std::nullopt); }

void StreamWork::came(base::Time now) { state_->aggregator.note_arrival(now); }
void StreamWork::accept(Accepted accepted) { state_->aggregator.accept(accepted); }
bool StreamWork::finished() const { return state_->ended; }
bool StreamWork::is_cut_off() const { return state_->is_cut_off; }
std::uint64_t StreamWork::next_block() const { return state_->next; }
std::uint64_t StreamWork::next_offset() const { return state_->offset; }
std::uint64_t StreamWork::done() const { return state_->done; }
std::uint64_t StreamWork::events() const { return state_->events; }
std::uint64_t StreamWork::blocks() const { return state_->blocks; }
std::uint64_t StreamWork::blocks_duplicate() const { return state_->duplicate; }
std::uint64_t StreamWork::blocks_missing() const { return state_->missing; }
std::uint64_t StreamWork::faults() const { return state_->reader.faults(); }
std::uint64_t StreamWork::blocks_without_clock() const { return state_->without_clock; }
std::uint64_t StreamWork::lost() const { return state_->aggregator.lost(); }
std::size_t StreamWork::bytes() const {
  return state_->aggregator.bytes() + static_cast<std::size_t>(state_->definitions);
}
const Aggregator& StreamWork::aggregator() const { return state_->aggregator; }
base::Time StreamWork::open_since() const { return state_->aggregator.open_since(); }

}  // namespace polytrace::collector
