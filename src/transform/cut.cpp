// SPDX-License-Identifier: Apache-2.0
#include "transform/cut.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "event/copy.hpp"

namespace polytrace::transform {

using base::Id;
using base::Time;
using event::Batch;
using event::Kind;

base::result<void> Cut::write(const Batch& batch) {
  out_.clear();
  for (const Event& event : batch.events) {
    if (auto done = make_room(); !done) return done;
    take(batch, event);
  }
  return to_->write(out_);
}

base::result<void> Cut::finish() {
  out_.clear();
  // Threads that slept through an end of the cut.
  for (Stream& stream : streams_) {
    if (auto done = make_room(); !done) return done;
    advance(stream, last_);
  }
  if (!out_.events.empty()) {
    if (auto done = to_->write(out_); !done) return done;
  }
  return to_->finish();
}

// A batch numbers its threads with 16 bits; fewer are found faster.
base::result<void> Cut::make_room() {
  constexpr std::size_t kThreads = 4096;
  if (out_.threads.size() < kThreads) return {};
  auto done = to_->write(out_);
  out_.clear();
  return done;
}

void Cut::take(const Batch& batch, const Event& event) {
  const event::Role role = event::role_of(event.kind);
  if (role == event::Role::heading) return copy(batch, event, event.time);
  last_ = std::max(last_, event.time);
  Stream& own = stream(batch.thread(event));
  if (role == event::Role::call && !selects(batch, event)) return;
  advance(own, event.time);
  if (role == event::Role::call) return take_call(batch, event, own);
  if (role == event::Role::definition)
    return copy(batch, event, std::clamp(event.time, options_.from, options_.to));
  const bool inside = event.time >= options_.from && !is_after(event.time);
  if (inside && selects(batch, event)) copy(batch, event, event.time);
}

bool Cut::selects(const Batch& batch, const Event& event) const {
  if (!options_.threads.has(batch.thread(event))) {
    const bool about_it = event::describe(event.kind).subject == "thread";
    if (!about_it || !options_.threads.has(event.id)) return false;
  }
  return options_.subjects == nullptr || options_.subjects->fit(batch, event);
}

void Cut::take_call(const Batch& batch, const Event& event, Stream& stream) {
  if (stream.ended) return;
  if (event.kind == Kind::Enter) enter(batch, event, stream);
  else leave(batch, event, stream);
}

void Cut::enter(const Batch& batch, const Event& event, Stream& stream) {
  stream.open.enter({event::called(batch, event), batch.details_or(event, event::Enter{})}, calls_);
  if (stream.begun) copy(batch, event, std::max(event.time, options_.from));
}

void Cut::leave(const Batch& batch, const Event& event, Stream& stream) {
  const bool entered = stream.open.leave(event::called(batch, event), calls_) != nullptr;
  if (!stream.begun) return;
  const bool whole = options_.from == CutOptions{}.from;
  if (entered || whole) return copy(batch, event, std::max(event.time, options_.from));
  ++counts_.dropped;
}

Cut::Stream& Cut::stream(Id thread) {
  const std::uint32_t index = thread_ids_.index(thread);
  if (index == streams_.size()) streams_.push_back({.thread = thread});
  return streams_[index];
}

void Cut::advance(Stream& stream, Time now) {
  stream.now = std::max(stream.now, now);
  if (!stream.begun && stream.now >= options_.from) begin(stream);
  if (!stream.ended && is_after(stream.now)) end(stream);
}

void Cut::begin(Stream& stream) {
  stream.begun = true;
  if (stream.open.empty()) return;
  const auto thread = out_.thread_slot(stream.thread);
  for (std::size_t i = 0; i < stream.open.depth(); ++i)
    out_.add(options_.from, thread, stream.open[i].id, stream.open[i].details);
  mark(options_.from, stream, "began earlier and are entered");
  counts_.entered += stream.open.depth();
}

void Cut::end(Stream& stream) {
  stream.ended = true;
  if (stream.open.empty()) return;
  const auto thread = out_.thread_slot(stream.thread);
  for (std::size_t i = stream.open.depth(); i > 0; --i) {
    const Call& call = stream.open[i - 1];
    event::Leave details;
    details.ticket = call.details.ticket;
    details.depth = call.details.depth;
    details.object = call.details.object;
    details.class_id = call.details.class_id;
    out_.add(options_.to, thread, call.id, details);
  }
  mark(options_.to, stream, "go on and are left");
  counts_.left += stream.open.depth();
  calls_.open -= stream.open.depth();
  stream.open.clear();
}

// Behind what it is about: a format may give a note the time of what stands before it.
void Cut::mark(Time time, const Stream& stream, std::string_view what) {
  event::Note note;
  note.text = out_.keep(
      fmt::format("cut: thread {:#x}: {} calls {} here", stream.thread, stream.open.depth(), what));
  out_.add(time, out_.thread_slot(base::kNoId), base::kNoId, note);
}

void Cut::copy(const Batch& batch, const Event& event, Time time) {
  event::copy_event(batch, event, out_);
  out_.events[out_.events.size() - 1].time = time;
}

}  // namespace polytrace::transform
