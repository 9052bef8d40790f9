// SPDX-License-Identifier: Apache-2.0
#include "transform/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "event/copy.hpp"
#include "transform/ids.hpp"

namespace polytrace::transform {

using base::Time;
using event::Batch;
using event::Event;
using event::Kind;

// An input, and how far it has come.
struct MergedReader::Lane {
  MergeInput input;
  std::shared_ptr<Batch> batch{};
  std::size_t at = 0;  // the next event
  Time now = std::numeric_limits<Time>::min();
  bool ended = false;
  bool has_process = false;

  const Event& next() const { return batch->events[at]; }
  bool has_next() const { return batch != nullptr && at < batch->events.size(); }
  // In the order of the merge.
  Time time() const { return std::max(now, next().time); }
};

// Neighbouring events of one input.
struct MergedReader::Piece {
  std::shared_ptr<const Batch> batch;
  std::size_t begin;
  std::size_t end;
};
struct MergedReader::Pieces {
  std::vector<Piece> all{};
  std::size_t events = 0;
  event::Tally tally{};
  base::Notices notices{};

  void add(std::shared_ptr<const Batch> batch, std::size_t begin, std::size_t end) {
    events += end - begin;
    all.push_back({std::move(batch), begin, end});
  }
};

namespace {

constexpr std::size_t kChunkEvents = 16 * 1024;

// Moves times by a shift, those in fields too.
struct TimeShift {
  base::Duration shift;
  template <event::Tag tag, class T>
  void field(std::string_view, T& value) const {
    if constexpr (tag == event::Tag::kTime) {
      if (value != base::kNoTime) value = shifted(value, shift);
    }
  }
};

// A clock says what the axis means: it does not move with the events.
void shift_times(Batch& batch, base::Duration shift) {
  if (shift == 0) return;
  for (Event& event : batch.events) {
    if (event.kind != Kind::Clock) event.time = shifted(event.time, shift);
  }
  TimeShift fields{shift};
#define KIND(Type, ...)                                                              \
  if (Kind::Type != Kind::Clock) {                                                   \
    for (auto& details : batch.column<event::Type>()) visit_fields(fields, details); \
  }
#include "event/kinds.def"
#undef KIND
}

}  // namespace

MergedReader::MergedReader(std::vector<MergeInput> inputs) {
  for (MergeInput& input : inputs) lanes_.push_back({std::move(input)});
}
MergedReader::~MergedReader() = default;

std::string MergedReader::version() const { return lanes_[0].input.reader->version(); }

const base::Source& MergedReader::source() const {
  const auto going = std::ranges::find(lanes_, false, &Lane::ended);
  return (going == lanes_.end() ? lanes_.back() : *going).input.reader->source();
}

base::result<bool> MergedReader::fetch(event::Chunk& chunk) {
  const auto pieces = std::make_shared<Pieces>();
  if (sequence_ == 0) start(*pieces);
  while (pieces->events < kChunkEvents) {
    Lane* lane = next_lane();
    if (lane == nullptr) break;
    const std::size_t end = run_end(*lane);
    for (std::size_t i = lane->at; i < end; ++i)
      lane->now = std::max(lane->now, lane->batch->events[i].time);
    pieces->add(lane->batch, lane->at, end);
    lane->at = end;
    fill(*lane, *pieces);
  }
  const bool more = pieces->events != 0 || sequence_ == 0;
  chunk.bytes.clear();
  chunk.sequence = sequence_++;
  chunk.context = pieces;
  if (more) return true;
  return outcome_;
}

void MergedReader::decode(const event::Chunk& chunk, Batch& batch) const {
  const auto& pieces = *static_cast<const Pieces*>(chunk.context.get());
  batch.clear();
  batch.tally = pieces.tally;
  batch.notices.merge(pieces.notices);
  for (const Piece& piece : pieces.all) {
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      event::copy_event(*piece.batch, piece.batch->events[i], batch);
  }
}

// What heads the traces heads the merged one, the reference's first: a writer wants to know the
// clock before all others.
void MergedReader::start(Pieces& pieces) {
  std::vector<Lane*> order;
  for (Lane& lane : lanes_) order.push_back(&lane);
  std::ranges::stable_partition(
      order, [](const Lane* lane) { return lane->input.placement.is_reference; });
  for (Lane* lane : order) {
    fill(*lane, pieces);
    take_headings(*lane, pieces);
    if (lanes_.size() > 1 && !lane->has_process) name_process(*lane, pieces);
    fill(*lane, pieces);
  }
}

void MergedReader::take_headings(Lane& lane, Pieces& pieces) {
  if (!lane.has_next()) return;
  const std::size_t begin = lane.at;
  while (lane.has_next() && event::role_of(lane.next().kind) == event::Role::heading) ++lane.at;
  if (lane.at != begin) pieces.add(lane.batch, begin, lane.at);
}

void MergedReader::name_process(const Lane& lane, Pieces& pieces) const {
  const auto batch = std::make_shared<Batch>();
  event::Process process;
  process.name = batch->keep(lane.input.label);
  const Time time = lane.has_next() ? lane.next().time : 0;
  batch->add(time, batch->thread_slot(base::kNoId), base::kNoId, process);
  pieces.add(batch, 0, 1);
}

void MergedReader::fill(Lane& lane, Pieces& pieces) {
  while (!lane.ended && !lane.has_next()) {
    lane.batch = std::make_shared<Batch>();
    lane.at = 0;
    const auto more = lane.input.reader->next(*lane.batch);
    if (!more) outcome_ = base::Unexpected(more.error());
    if (!more || !*more) return end(lane);
    pieces.tally.merge(lane.batch->tally);
    pieces.notices.merge(told_by(lane, lane.batch->notices));
    adapt(lane);
  }
}

void MergedReader::end(Lane& lane) {
  lane.ended = true;
  lane.batch = nullptr;
  notices_.merge(told_by(lane, lane.input.reader->notices()));
}

// Makes the batch just read part of the merged trace.
void MergedReader::adapt(Lane& lane) const {
  Batch& batch = *lane.batch;
  const Placement& placement = lane.input.placement;
  if (placement.tag != 0) for_each_id(batch, [&](base::Id& id) { id ^= placement.tag; });
  shift_times(batch, placement.shift);
  if (lanes_.size() == 1) return;
  for (const Event& event : batch.events) {
    if (event.kind == Kind::Process) adapt_process(lane, event);
  }
  for (event::Thread& thread : batch.column<event::Thread>()) {
    if (!thread.name.empty())
      thread.name = batch.keep(fmt::format("{}: {}", lane.input.label, thread.name));
  }
  if (placement.is_reference) return;
  const auto is_clock = [](const Event& event) { return event.kind == Kind::Clock; };
  Event* const end = std::remove_if(batch.events.begin(), batch.events.end(), is_clock);
  batch.events.grew_to(end);
}

// Some recorders tell about their process in several events: the one with the id gets the name.
void MergedReader::adapt_process(Lane& lane, const Event& event) {
  if (event.detail == event::kAbsent) return;
  auto& process = lane.batch->column<event::Process>()[event.detail];
  if (process.pointer_size != 0) process.pointer_size = 8;  // wide enough for every trace's ids
  if (lane.has_process || event.id == base::kNoId) return;
  lane.has_process = true;
  if (process.name.empty()) process.name = lane.batch->keep(lane.input.label);
}

MergedReader::Lane* MergedReader::next_lane() {
  Lane* best = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.has_next() && (best == nullptr || lane.time() < best->time())) best = &lane;
  }
  return best;
}

// How far the lane goes before another one's turn: of equal times the first input's come first.
std::size_t MergedReader::run_end(const Lane& lane) const {
  Time limit = std::numeric_limits<Time>::max();
  for (const Lane& other : lanes_) {
    if (&other == &lane || !other.has_next()) continue;
    const Time time = other.time();
    limit = std::min(limit, &other < &lane ? time - 1 : time);
  }
  const std::size_t most = std::min(lane.batch->events.size(), lane.at + kChunkEvents);
  std::size_t end = lane.at + 1;
  while (end < most && lane.batch->events[end].time <= limit) ++end;
  return end;
}

base::Notices MergedReader::told_by(const Lane& lane, const base::Notices& notices) const {
  if (lanes_.size() == 1) return notices;
  base::Notices told;
  const auto name = [&](base::Place& place) {
    place.frame = lane.input.label + (place.frame.empty() ? "" : " " + place.frame);
  };
  for (base::Notice& notice : notices.sorted()) {
    name(notice.first);
    for (base::Occurrence& other : notice.others) name(other.place);
    told.add(std::move(notice));
  }
  return told;
}

}  // namespace polytrace::transform
