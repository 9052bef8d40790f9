// SPDX-License-Identifier: Apache-2.0
// What happened, as lines: stacks as differences, tables as lists.
#include <algorithm>
#include <bit>

#include "format/tracelog/held.hpp"
#include "format/tracelog/watch.hpp"
#include "format/tracelog/writer.hpp"

namespace polytrace::format::tracelog {
namespace {

using base::kNoId;
using event::Event;
using event::JitStage;

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

std::optional<Key> key_of(JitStage stage) {
  switch (stage) {
    case JitStage::start: return Key::jit_cms;
    case JitStage::end:
    case JitStage::failed: return Key::jit_cmf;
    case JitStage::cached_start: return Key::jit_css;
    case JitStage::cached_end: return Key::jit_csf;
    default: return std::nullopt;
  }
}

bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_of(std::string_view(" \t:\r\n\0", 6)) == text.npos &&
         is_utf8(text);
}

}  // namespace

void TraceLogWriter::tell(const Event& event, const event::Jit& jit) {
  const bool early = dialect_ == Dialect::early;
  if (early && tell_early_jit(event, jit)) return;
  close_function();
  const auto key = key_of(jit.stage);
  if (early || !key) return lose(event);
  const bool failed = (jit.status & kFailedStatus) != 0;
  const bool finished = *key == Key::jit_cmf;
  lose(event, finished && failed != (jit.stage == JitStage::failed), "stage");
  lose(event, !finished && jit.status != 0, "status");
  lose(event, event.id != kNoId, "method");
  start(*key);
  name_thread(batch_->thread(event));
  line_.numbers[1] = timestamp(event);
  line_.numbers[2] = jit.runtime_id == kNoId ? 0 : jit.runtime_id;
  line_.numbers[3] = jit.status;
  put_line();
}

// An early log tells the end of a compilation with the function, without a time.
bool TraceLogWriter::tell_early_jit(const Event& event, const event::Jit& jit) {
  const bool cached = jit.stage == JitStage::cached_end;
  const bool ends = cached || jit.stage == JitStage::end || jit.stage == JitStage::failed;
  if (!ends || event.id != kNoId) return false;
  if (((jit.status & kFailedStatus) != 0) != (jit.stage == JitStage::failed)) return false;
  if (cached && jit.status != 0) return false;
  const base::Id function = jit.runtime_id == kNoId ? 0 : jit.runtime_id;
  const bool follows = function_.open && function_.line.numbers[1] == function &&
                       batch_->thread(event) == kNoId && event.time == function_.time;
  if (!follows) close_function();
  compiled_[function] = {cached, jit.status};
  if (follows) close_function();
  else lose(event);
  return true;
}

std::uint64_t TraceLogWriter::letters_of(const Event& event, const event::Gc& gc) {
  constexpr std::uint32_t kNumbered = 0x7;
  constexpr std::uint32_t kWritable = 0xff;
  std::uint32_t letters = gc.generations & kWritable;
  lose(event, letters != gc.generations, "generations");
  const std::uint32_t highest =
      (letters & kNumbered) == 0
          ? event::kAbsent
          : static_cast<std::uint32_t>(std::bit_width(letters & kNumbered)) - 1;
  lose(event, gc.generation != highest, "generation");
  if (letters == 0 && gc.generation <= 2) letters = (2U << gc.generation) - 1;
  return letters;
}

void TraceLogWriter::tell(const Event& event, const event::Gc& gc) {
  const bool starts = gc.phase == event::GcPhase::start;
  if (!starts && gc.phase != event::GcPhase::end) return lose(event);
  lose(event, event.id != kNoId, "collection");
  lose(event, !gc.reason.empty() && (!starts || gc.reason != "induced"), "reason");
  start(starts ? Key::gch_gcs : Key::gch_gcf);
  name_thread(batch_->thread(event));
  line_.numbers[1] = timestamp(event);
  if (starts) {
    line_.induced = gc.reason == "induced";
    line_.numbers[3] = letters_of(event, gc);
  } else {
    lose(event, gc.generation != event::kAbsent, "generation");
    lose(event, gc.generations != 0, "generations");
  }
  put_line();
}

const Frames& TraceLogWriter::frames_of(const event::Stack& stack) {
  frames_.clear();
  const auto methods = batch_->list(stack);
  const auto places = batch_->places(stack);
  for (std::size_t i = 0; i < methods.size(); ++i)
    frames_.push(methods[i], places.empty() ? 0 : places[i].ip);
  return frames_;
}

void TraceLogWriter::put_stack(base::Id thread, std::uint64_t timestamp, std::uint64_t count,
                               const Frames& frames) {
  start(Key::sam_str);
  line_.numbers = {thread, timestamp, count};
  LinePrinter& out = out_.printer();
  print_line(out, line_);
  Frames& old = stacks_[thread];
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

// The stack that is charged is the one in force: where it is not, it is put in force first.
void TraceLogWriter::tell(const Event& event, const event::AllocSummary& summary) {
  if (summary.stack.present() && summary.stack.count > kDeepest) return lose(event);
  const base::Id thread = batch_->thread(event);
  const Frames& frames = frames_of(summary.stack);
  const std::uint64_t at = timestamp(event);
  const Frames& known = stacks_[thread];
  const Kept same = kept(known, frames);
  if (same.moved || same.frames != known.size() || same.frames != frames.size())
    put_stack(thread, at, 0, frames);
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
  if (summary.ip != kNoId && summary.ip != 0) out.text(":"), out.ip(summary.ip);
}

// An event without a class is a table without classes.
void TraceLogWriter::tell(const Event& event, const event::Census& census) {
  count_lost_fields(loss_, event.kind, census);
  no_thread(event);
  const std::uint64_t at = timestamp(event);
  LinePrinter& out = out_.printer();
  if (!continues_list(Key::gch_alt, event)) {
    line_ = {};
    line_.record = &record(Key::gch_alt);
    line_.numbers[0] = at;
    print_line(out, line_);
    if (event.id == kNoId && census.objects == 0 && census.bytes == 0) return end_list();
  }
  out.text(" "), out.small_iid(event.id);
  out.text(":"), out.dec(census.objects);
  out.text(":"), out.dec(census.bytes);
}

void TraceLogWriter::tell(const Event& event, const event::HeapSize& size) {
  if (!is_word(size.generation)) return lose(event);
  count_lost_fields(loss_, event.kind, size);
  no_thread(event);
  const std::uint64_t at = timestamp(event);
  LinePrinter& out = out_.printer();
  if (!continues_list(Key::gch_gen, event)) {
    line_ = {};
    line_.record = &record(Key::gch_gen);
    line_.numbers[0] = at;
    print_line(out, line_);
  }
  out.text(" "), out.text(size.generation);
  out.text(":"), out.dec(size.used);
  out.text(":"), out.dec(size.total);
}

}  // namespace polytrace::format::tracelog
