// SPDX-License-Identifier: Apache-2.0
// Stacks as differences, and what was allocated on them.
#include <algorithm>

#include "format/tracelog/held.hpp"
#include "format/tracelog/writer.hpp"

namespace polytrace::format::tracelog {
namespace {

using event::Event;

// The leading frames that stay; the last of them may change its call point.
struct Kept {
  std::size_t frames = 0;
  bool moved = false;
};

std::uint64_t ip_at(const Frames& frames, std::size_t i) {
  return frames.has_ips ? frames.ips[i] : 0;
}

Kept kept(const Frames& old, const Frames& now) {
  const std::size_t both = std::min(old.size(), now.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (old.methods[i] != now.methods[i]) return {i, false};
    if (ip_at(old, i) != ip_at(now, i)) return {i + 1, true};
  }
  return {both, false};
}

}  // namespace

const Frames& TraceLogWriter::frames_of(const event::Stack& stack) {
  frames_.clear();
  const auto methods = batch_->list(stack);
  const auto places = batch_->places(stack);
  for (std::size_t i = 0; i < methods.size(); ++i)
    frames_.push(methods[i], places.empty() ? 0 : places[i].ip);
  return frames_;
}

void TraceLogWriter::start_stack(base::Id thread, std::uint64_t timestamp, std::uint64_t count) {
  start(Key::sam_str);
  line_.numbers = {thread, timestamp, count};
  print_line(out_.printer(), line_);
}

void TraceLogWriter::put_stack(base::Id thread, std::uint64_t timestamp, std::uint64_t count,
                               const Frames& frames) {
  start_stack(thread, timestamp, count);
  LinePrinter& out = out_.printer();
  Told& told = stacks_[thread];
  Frames& old = told.frames;
  const Kept same = kept(old, frames);
  out.text(" "), out.dec(same.frames);
  out.text(":"), out.dec(old.size());
  if (same.moved) out.text(":"), out.ip(ip_at(frames, same.frames - 1));
  for (std::size_t i = same.frames; i < frames.size(); ++i) {
    out.text(" "), out.small_iid(frames.methods[i]);
    if (ip_at(frames, i) != 0) out.text(":"), out.ip(ip_at(frames, i));
  }
  out.end();
  old = frames;
  told.by_calls = false;
}

void TraceLogWriter::tell(const Event& event, const event::Sample& sample) {
  if (sample.stack.present() && sample.stack.count > kDeepest) return lose(event);
  count_lost_fields(loss_, event.kind, sample);
  lose(event, batch_->thread(event) != event.id, "thread");
  // A sample whose weight is not told is one; a mere change of the stack weighs nothing.
  const bool moves = sample.mode == event::SampleMode::change;
  const std::uint64_t count = moves ? 0 : std::max<std::uint64_t>(sample.weight, 1);
  lose(event, !moves && sample.mode != event::SampleMode::wall, "mode");
  lose(event, sample.weight != count, "weight");
  const bool others = std::ranges::any_of(batch_->places(sample.stack), [](const auto& place) {
    return place.il != -1 || place.native != -1;
  });
  lose(event, others, "places");
  const std::uint64_t at = timestamp(event);
  put_stack(event.id, at, count, frames_of(sample.stack));
}

void TraceLogWriter::charge(base::Id thread, std::uint64_t timestamp, const Frames& frames) {
  const Frames& known = stacks_[thread].frames;
  const Kept same = kept(known, frames);
  if (same.moved || same.frames != known.size() || same.frames != frames.size())
    put_stack(thread, timestamp, 0, frames);
}

void TraceLogWriter::tell(const Event& event, const event::AllocSummary& summary) {
  if (summary.stack.present() && summary.stack.count > kDeepest) return lose(event);
  const base::Id thread = batch_->thread(event);
  const std::uint64_t at = timestamp(event);
  charge(thread, at, frames_of(summary.stack));
  LinePrinter& out = out_.printer();
  if (!continues_list(Key::sam_mem, event)) {
    line_ = {};
    line_.record = &record(Key::sam_mem);
    line_.numbers = {thread, at};
    print_line(out, line_);
  }
  out.text(" "), out.small_iid(event.id);
  out.text(":"), out.dec(summary.count);
  out.text(":"), out.dec(summary.bytes);
  if (summary.ip != base::kNoId && summary.ip != 0) out.text(":"), out.ip(summary.ip);
}

}  // namespace polytrace::format::tracelog
