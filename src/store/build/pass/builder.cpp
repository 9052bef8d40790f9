// SPDX-License-Identifier: Apache-2.0
#include "store/build/pass/builder.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/frames/svb.hpp"
#include "store/build/pass/pause_look.hpp"
#include "store/file/notes.hpp"
#include "store/file/whole_layout.hpp"

namespace polytrace::store {
namespace {

using event::Event;

}  // namespace

Builder::Builder(IndexWriter& writer, const BuildOptions& options)
    : writer_(writer),
      options_(options),
      paths_(options.most_paths),
      texts_([this](std::uint64_t first, std::uint32_t count, std::string payload) {
        jobs_.add({.entry = {.kind = frame::text, .count = count, .number = first},
                   .payload = std::move(payload),
                   .packing = Packing::compress});
      }),
      entities_(slicer_.names()),
      rows_(paths_, texts_, jobs_, slicer_.names()),
      calls_(paths_, [this](std::unique_ptr<OpenBlock> block) { put_block(std::move(block)); }),
      sums_(options.most_sums),
      cells_(options.cells, whole_),
      series_(options.series),
      jobs_(writer, options.encoders) {
  slicer_.as_told();
}

Builder::~Builder() = default;

bool Builder::consume(const event::Batch& batch) {
  chunk_offsets_.push_back(batch.offset);
  chunk_ordinals_.push_back(events_);
  offset_ = batch.offset;
  slicer_.slice(batch, [this](const slice::Slice& slice) { take(slice); });
  close_largest();
  if (offset_ - committed_offset_ < options_.commit_each) return !jobs_.failed();
  return commit().has_value();
}

base::result<void> Builder::commit() {
  if (failure_) return base::Unexpected(*failure_);
  if (events_ == committed_events_) return {};
  committed_offset_ = offset_;
  committed_events_ = events_;
  auto done = commit(IndexState::building);
  if (!done) failure_ = done.error();
  return done;
}

void Builder::take(const slice::Slice& slice) {
  const auto& events = slice.batch.events;
  if (origin_ == base::kNoTime && !events.empty()) origin_ = events[0].time;
  for (const slice::Run& run : slice.runs) take_run(slice, run);
}

void Builder::take_run(const slice::Slice& slice, const slice::Run& run) {
  const event::Batch& batch = slice.batch;
  const Event* const end = batch.events.data() + run.end;
  const Event* at = batch.events.data() + run.begin;
  events_ += run.end - run.begin;
  calls_.take(run.thread, batch, at, end, slice.names, [&](const Event& event, std::uint32_t path) {
    take_order(batch, std::exchange(at, &event + 1), &event, run.thread);
    take_row(slice, event, run.thread, path);
  });
  take_order(batch, at, end, run.thread);
}

void Builder::take_row(const slice::Slice& slice, const Event& event, std::uint32_t thread,
                       std::uint32_t path) {
  if (event.kind == event::Kind::Gc)
    pauses_.add(slice.batch.thread(event), event.time,
                slice.batch.details_or<event::Gc>(event, {}).phase);
  entities_.note(slice.batch, event, texts_);
  rows_.add(slice.batch, event, thread, entities_.subject(event.kind, event.id), path);
  order(rows_of(kind_number(event.kind)), 1);
}

void Builder::take_order(const event::Batch& batch, const Event* at, const Event* end,
                         std::uint32_t thread) {
  const Stream calls = calls_of(thread);
  const Event* done = at;
  for (; at != end; ++at) {
    if (at->detail == event::kAbsent) continue;
    order(calls, static_cast<std::size_t>(at - done));
    done = at;
    has_details_ = true;
    rows_.add(batch, *at, thread, entities_.subject(at->kind, at->id), 0);
    order_.add_beside(rows_of(kind_number(at->kind)));
  }
  order(calls, static_cast<std::size_t>(end - done));
}

void Builder::order(Stream stream, std::size_t count) {
  while (count != 0) {
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(count, kOrderedEvents));
    count -= order_.add(stream, most);
    if (order_.full()) put_order();
  }
}

// The figures of a thread's blocks are added up in the order of the blocks, behind their encoding.
void Builder::put_block(std::unique_ptr<OpenBlock> closed) {
  struct Work {
    std::unique_ptr<OpenBlock> block;
    EncodedBlock encoded{};
    std::string payload{};
  };
  const auto work = std::make_shared<Work>(Work{std::move(closed)});
  const auto make = [work, spare = calls_.shared().spare](Piece& piece) {
    work->encoded = encode_block(*work->block, piece.payload);
    spare->give(std::move(work->block));
    work->payload = piece.payload;
    piece = piece_of(work->encoded, std::move(piece.payload));
  };
  const auto behind = [this, work, origin = origin_](std::vector<Piece>& more) {
    sums_.add(work->encoded, [&](std::uint32_t thread, CallSums::Frame frame) {
      more.push_back({.entry = {.kind = frame::call_sums,
                                .stream = thread,
                                .level = frame.level + 256,
                                .count = frame.blocks,
                                .number = frame.first_block,
                                .least = frame.before,
                                .greatest = frame.last},
                      .payload = std::move(frame.payload)});
    });
    const auto put = [&](auto frame) { more.push_back(piece_of(std::move(frame))); };
    const CallBlock* const block =
        cells_.add(origin, work->encoded, std::as_bytes(std::span(work->payload)), put);
    if (block != nullptr) series_.add(origin, work->encoded, *block, put);
  };
  jobs_.add({}, make, behind);
}

void Builder::close_largest() {
  const std::size_t half = options_.most_open / 2;
  calls_.close_largest(half);
  rows_.close_largest(half);
}

Totals Builder::totals() const {
  const slice::Extent extent = slice::extent_of(slicer_.names());
  Totals totals;
  totals.events = events_;
  totals.blocks = calls_.shared().next_block;
  totals.paths = paths_.size();
  totals.texts = texts_.count();
  totals.threads = entities_.count(EntitySort::thread);
  totals.methods = entities_.count(EntitySort::method);
  totals.classes = entities_.count(EntitySort::class_);
  totals.origin = origin_;
  totals.first = extent.first;
  totals.last = extent.last;
  totals.settled = settled_ ? extent.last : base::kNoTime;
  return totals;
}

base::result<void> Builder::commit(IndexState state) {
  calls_.close_all();
  rows_.close_all();
  if (order_.events() != 0) put_order();
  put_ends();
  put_chunks();
  put_meanings();
  if (auto written = jobs_.wait(); !written) return written;
  return writer_.commit(progress(state));
}

Progress Builder::progress(IndexState state) const {
  return {.state = state, .source_bytes = offset_, .totals = totals(), .required = features()};
}

// Pauses are told later than what they interrupt, and in other threads.
base::result<void> Builder::look_at_pauses() {
  slice::Pauses pauses = pauses_.take();
  if (pauses.all.empty() || calls_.shared().next_block == 0) return {};
  if (auto done = commit(IndexState::building); !done) return done;
  auto image = base::Image::map(writer_.descriptor(), writer_.size());
  if (!image) return base::Unexpected(image.error());
  auto view = IndexView::open(std::move(*image));
  if (!view) return base::Unexpected(view.error());
  PauseLook look(std::move(*view), std::move(pauses), paths_.size(), options_.most_sums);
  look.run(jobs_);
  if (auto written = jobs_.wait(); !written) return written;
  return look.outcome();
}

base::result<void> Builder::finish(const event::PumpOutcome& outcome, IndexState state,
                                   PageHead head) {
  if (failure_) return tl::unexpected(*failure_);
  const auto& threads = slicer_.names().threads();
  struct Open {
    std::uint32_t thread;
    std::uint32_t path;
    std::size_t row;
    std::uint64_t duration;
  };
  std::vector<Open> all_open;
  for (std::uint32_t thread = 0; thread < calls_.threads(); ++thread)
    calls_.of(thread).finish(threads[thread].last, [&](auto path, auto row, auto duration) {
      all_open.push_back({thread, path, row, duration});
    });
  if (auto written = jobs_.wait(); !written) return written;
  for (const Open& open : all_open) {
    whole_.add(open.path, open.duration);
    whole_.deepen(open.thread, open.row + 1);
  }
  const auto add = [this](auto frame) { jobs_.add(piece_of(std::move(frame))); };
  cells_.finish(add);
  series_.finish(add);
  if (state == IndexState::complete) {
    if (auto looked = look_at_pauses(); !looked) return looked;
    settled_ = true;
  }
  put_threads();
  put_locks();
  if (state == IndexState::complete) put_methods();
  jobs_.add({.entry = {.kind = frame::notices}, .payload = encode_notes(outcome)});
  if (auto written = jobs_.wait(); !written) return written;
  head.kinds = event::kKindCount;
  head.required |= features();
  if (auto put = writer_.write_head(head); !put) return put;
  return commit(state);
}

}  // namespace polytrace::store
