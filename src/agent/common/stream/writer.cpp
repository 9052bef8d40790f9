// SPDX-License-Identifier: Apache-2.0
#include "agent/common/stream/writer.hpp"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "agent/common/memory/losses.hpp"
#include "agent/common/memory/pages.hpp"
#include "agent/common/stream/session.hpp"
#include "agent/common/tools/guard.hpp"
#include "agent/common/tools/quiet_thread.hpp"
#include "event/missing.hpp"

namespace polytrace::agent {
namespace {

namespace native = format::native;
using native::SegmentHeader;
using native::SegmentState;
using native::SegmentWords;

constexpr base::Duration kOneMillisecond = 1'000'000;
constexpr base::Duration kOneSecond = 1'000'000'000;

timespec timespec_of(base::Time time) {
  return {static_cast<time_t>(time / kOneSecond), static_cast<long>(time % kOneSecond)};
}

const std::uint64_t* plain(const std::atomic<std::uint64_t>* words) {
  return reinterpret_cast<const std::uint64_t*>(words);
}

void set_state(SegmentHeader& header, SegmentState state) {
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&header.state),
                   static_cast<std::uint32_t>(state), __ATOMIC_RELEASE);
}

}  // namespace

int Writer::start(Session& session) {
  session_ = &session;
  const std::size_t segments = session.segments.capacity() / native::kUnit + 1;
  moved_ = zeroed_pages<Moved>(segments);
  open_ = zeroed_pages<std::uint32_t>(segments);
  if (moved_ == nullptr || open_ == nullptr) return ENOMEM;
  if (session.options.mode == Mode::summary && !summary_.start(session.clock)) return ENOMEM;
  summary_pace_.start(session.options.summary, wall_now());
  sem_init(&wake_, 0, 0);
  return start_quiet_thread(thread_, &Writer::run, this);
}

void Writer::wake() {
  if (!woken_.exchange(true, std::memory_order_acq_rel)) sem_post(&wake_);
}

std::uint64_t Writer::ask() {
  const std::uint64_t round = asked_.fetch_add(1, std::memory_order_acq_rel) + 1;
  wake();
  return round;
}

bool Writer::await(std::uint64_t round, base::Duration patience) {
  const timespec until = timespec_of(monotonic_now() + patience);
  const Guard guard(mutex_);
  while (done_ < round && !ended_)
    if (pthread_cond_clockwait(&done_changed_, &mutex_, CLOCK_MONOTONIC, &until) == ETIMEDOUT)
      break;
  return done_ >= round;
}

bool Writer::flush(base::Duration patience, bool dump) {
  if (dump) dump_.store(true, std::memory_order_release);
  return await(ask(), patience);
}

bool Writer::stop(base::Duration patience) {
  stop_.store(true, std::memory_order_release);
  await(ask(), patience);
  bool ended = false;
  {
    const Guard guard(mutex_);
    ended = ended_;
  }
  if (ended) pthread_join(thread_, nullptr);
  else pthread_detach(thread_);
  return ended;
}

void* Writer::run(void* self) {
  static_cast<Writer*>(self)->loop();
  return nullptr;
}

void Writer::loop() {
  pthread_setname_np(pthread_self(), "polytrace");
  begin_cpu_thread();
  if (session_->options.cpu != 0) cpu_due_ = monotonic_now();
  if (const auto most = static_cast<base::Duration>(session_->options.duration); most != 0)
    end_due_ = std::min(monotonic_now(), INT64_MAX - most) + most;
  const base::Duration pace = session_->options.flush * kOneMillisecond;
  base::Time due = monotonic_now() + pace;
  for (bool last = false; !last;) {
    const timespec until = timespec_of(next_round(due));
    while (sem_clockwait(&wake_, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
    woken_.store(false, std::memory_order_release);
    const std::uint64_t asked = asked_.load(std::memory_order_acquire);
    last = stop_.load(std::memory_order_acquire);
    const base::Time begin = monotonic_now();
    const bool tables = summary_pace_.take(wall_now());
    const bool all = last || asked != done_ || begin >= due || tables;
    if (asked != done_ || tables || begin >= cpu_due_) take_cpu(begin, asked != done_ || tables);
    if (last) end_cpu_thread();
    const bool kept = last || dump_.exchange(false, std::memory_order_acq_rel);
    round(all, kept, kept || tables);
    if (all) due = begin + pace;
    if (!last && session_->blocks.error() == 0 && is_cut()) cut_off();
    last = last || session_->blocks.error() != 0 || cut_ != Cut::none;
    if (last) finish();
    const Guard guard(mutex_);
    done_ = session_->blocks.error() == 0 ? asked : done_;
    ended_ = last;
    pthread_cond_broadcast(&done_changed_);
  }
}

void Writer::take_cpu(base::Time now, bool all) {
  if (session_->options.cpu == 0) return;
  cpu_due_ = now + static_cast<base::Duration>(session_->options.cpu);
  record_cpu(*session_, all);
}

base::Time Writer::next_round(base::Time due) const {
  const base::Duration left = summary_pace_.left(wall_now());
  const base::Time next = std::min({due, cpu_due_, end_due_});
  return left == INT64_MAX ? next : std::min(next, monotonic_now() + left);
}

void Writer::round(bool all, bool kept, bool tables) {
  const base::Time begin = monotonic_now();
  if (session_->clock.refit()) session_->blocks.put_clock(session_->clock.line());
  SegmentQueue full = snapshot(all, kept);
  session_->definitions.drain(session_->blocks, written_);
  if (kept && ring_lost_ != 0) {
    put_lost(base::kNoId, ring_lost_, ring_from_, ring_to_, "the ring was full");
    ring_lost_ = 0;
  }
  for (std::uint32_t segment = full.pop(session_->links); segment != kNoSegment;
       segment = full.pop(session_->links)) {
    move(segment);
    written_.push(session_->links, segment);
    if (session_->blocks.blocks_written() == session_->blocks.blocks_put()) settle();
  }
  for (std::uint32_t i = 0; i < open_count_; ++i) move(open_[i]);
  if (tables && session_->options.mode == Mode::summary) put_summary();
  settle();
  if (session_->options.policy == Policy::ring) make_room();
  Status& status = session_->segments.status();
  status.state.store(static_cast<std::uint64_t>(g_state.load(std::memory_order_relaxed)),
                     std::memory_order_relaxed);
  status.updated.store(static_cast<std::uint64_t>(wall_now()), std::memory_order_relaxed);
  status.lag.store(static_cast<std::uint64_t>(monotonic_now() - begin), std::memory_order_relaxed);
}

// At one moment, so that no segment overtakes an earlier one of its thread.
SegmentQueue Writer::snapshot(bool all, bool kept) {
  const Guard guard(g_threads.mutex);
  open_count_ = 0;
  const bool ring = session_->options.policy == Policy::ring && !kept;
  std::uint64_t threads = 0;
  for (const ThreadBuffer* at = g_threads.first; at != nullptr; at = at->after) {
    if (at->session != session_->number) continue;
    threads += at != &t_buffer ? 1 : 0;
    if (all && !ring && at->segment != kNoSegment) open_[open_count_++] = at->segment;
  }
  session_->segments.status().threads.store(threads, std::memory_order_relaxed);
  if (ring) return {};
  session_->full_units = 0;
  return session_->full.take_all();
}

// What the segment has by now.
void Writer::move(std::uint32_t segment) {
  const SegmentHeader& header = *session_->segments.header(segment);
  Moved& moved = moved_[segment];
  if (moved.number != header.number) {
    const std::uint64_t* const words = plain(session_->segments.words(segment));
    const std::uint32_t count = session_->segments.words_of(segment);
    moved = {header.number, SegmentWords(words, count, header.base_tick, header.thread),
             SummaryWords(words, count, header.base_tick, header.thread), 0, false};
  }
  if (session_->options.mode == Mode::summary) sum_words(header, moved);
  else move_words(header, moved);
}

// Definitions recorded before an event go before its block.
void Writer::move_words(const SegmentHeader& header, Moved& moved) {
  const bool ring = session_->options.policy == Policy::ring;
  while (moved.words.ready() && (ring || !is_cut())) {
    native::RecordEncoder& encoder = session_->blocks.begin(moved.words.next_tick(), header.thread);
    if (!moved.words.move_to(encoder)) break;
    session_->definitions.drain(session_->blocks, written_);
    const std::uint32_t before = std::exchange(moved.taken, moved.words.taken());
    session_->blocks.finish(header.number, before, moved.taken);
  }
  if (!moved.words.damaged() || std::exchange(moved.damage_told, true)) return;
  put_lost(header.thread, 1, header.base_tick, session_->clock.now(), "a segment was written over");
}

void Writer::sum_words(const SegmentHeader& header, Moved& moved) {
  while (moved.summed.next_event(summary_)) {
    native::RecordEncoder& encoder =
        session_->blocks.begin(moved.summed.next_tick(), header.thread);
    bool more = true;
    while (more && encoder.thread(moved.summed.thread()) && moved.summed.move_event(encoder))
      more = moved.summed.next_event(summary_);
    session_->definitions.drain(session_->blocks, written_);
    const std::uint32_t before = std::exchange(moved.taken, moved.summed.taken());
    session_->blocks.finish(header.number, before, moved.taken);
  }
}

void Writer::put_summary() {
  const std::uint64_t now = session_->clock.now();
  session_->definitions.drain(session_->blocks, written_);
  if (const std::uint64_t unplaced = summary_.unplaced(); unplaced != 0)
    put_lost(base::kNoId, unplaced, now, now, "the summary was full");
  summary_.put(session_->blocks, now);
}

// The output gets what is in memory; what it has is free.
void Writer::settle() {
  if (session_->blocks.flush() != 0) return;
  for (std::uint32_t segment = written_.pop(session_->links); segment != kNoSegment;
       segment = written_.pop(session_->links))
    release(segment);
}

void Writer::release(std::uint32_t segment) {
  SegmentHeader& header = *session_->segments.header(segment);
  const bool words = header.content == native::SegmentContent::words;
  set_state(header, SegmentState::written);
  session_->segments.give_back(segment, header.units * native::kUnit);
  if (words) session_->pending.fetch_sub(1, std::memory_order_relaxed);
}

// Policy ring: the oldest make room for the newest before anybody has to wait.
void Writer::make_room() {
  while (!session_->segments.roomy()) {
    std::uint32_t segment = kNoSegment;
    {
      const Guard guard(g_threads.mutex);
      segment = session_->full.pop(session_->links);
      if (segment == kNoSegment) return;
      session_->full_units -= session_->segments.header(segment)->units;
    }
    count_lost(segment);
    release(segment);
  }
}

void Writer::count_lost(std::uint32_t segment) {
  const SegmentHeader& header = *session_->segments.header(segment);
  SegmentWords words(plain(session_->segments.words(segment)), session_->segments.words_of(segment),
                     header.base_tick, header.thread);
  std::uint64_t lost = 0;
  while (words.ready()) {
    native::RecordEncoder& encoder = session_->blocks.begin(words.next_tick(), header.thread);
    if (ring_lost_ == 0 && lost == 0) ring_from_ = words.next_tick();
    if (!words.move_to(encoder)) break;
    lost += encoder.events();
    ring_to_ = encoder.tick();
  }
  ring_lost_ += lost;
  session_->segments.status().lost.fetch_add(lost, std::memory_order_relaxed);
}

// Of threads that have recorded nothing since, and of those that are gone.
void Writer::put_losses() {
  Losses losses;
  {
    const Guard guard(g_threads.mutex);
    losses = std::exchange(session_->losses, {});
    for (ThreadBuffer* at = g_threads.first; at != nullptr; at = at->after) {
      if (at->session != session_->number) continue;
      const std::uint64_t lost = at->lost.exchange(0, std::memory_order_acq_rel);
      losses.add({at->current.load(std::memory_order_relaxed), lost,
                  at->lost_from.load(std::memory_order_relaxed),
                  at->lost_to.load(std::memory_order_relaxed)});
    }
  }
  losses.each([this](const Loss& loss) {
    put_lost(loss.thread, loss.lost, loss.from, loss.to, "no memory was free");
  });
}

void Writer::put_lost(base::Id thread, std::uint64_t lost, std::uint64_t from, std::uint64_t to,
                      const char* reason) {
  event::Lost event;
  event.records = lost;
  event.from = session_->clock.time_of(from);
  event.to = session_->clock.time_of(to);
  event.reason = reason;
  session_->blocks.begin(to, thread).event(to, base::kNoId, event);
  session_->blocks.finish();
}

// A round may be long: it looks as well.
bool Writer::is_cut() {
  const std::uint64_t limit = session_->options.limit;
  if (cut_ != Cut::none) return true;
  if (monotonic_now() >= end_due_) cut_ = Cut::time;
  else if (limit != 0 && session_->output.written() >= limit) cut_ = Cut::limit;
  else if (disk_is_full()) cut_ = Cut::disk;
  return cut_ != Cut::none;
}

bool Writer::disk_is_full() {
  constexpr base::Duration kPause = 20 * kOneMillisecond;
  const base::Time now = monotonic_now();
  if (now - looked_at_disk_ < kPause) return false;
  looked_at_disk_ = now;
  return session_->output.is_short_of_disk(session_->options.min_free);
}

void Writer::cut_off() {
  end_recording();
  round(true, true, true);
}

// What a limit is called: 4 GiB, 1500 KiB, 1000 bytes.
namespace {

std::string text_of_size(std::uint64_t bytes) {
  const char* unit = "bytes";
  for (const char* const larger : {"KiB", "MiB", "GiB"}) {
    if (bytes == 0 || bytes % 1024 != 0) break;
    bytes /= 1024;
    unit = larger;
  }
  return std::to_string(bytes) + ' ' + unit;
}

}  // namespace

void Writer::put_cut() {
  const std::string reason =
      cut_ == Cut::limit
          ? std::string(event::kAtLimit) + text_of_size(session_->options.limit) + " is reached"
          : "the disk is nearly full";
  const std::string text = std::string(event::kCutOff) + reason;
  event::Recording event;
  event.stage = event::RecordingStage::end;
  event.name = text;
  const std::uint64_t now = session_->clock.now();
  session_->blocks.begin(now, base::kNoId).event(now, base::kNoId, event);
  session_->blocks.finish();
  // A limit was asked for: it needs no word among the program's own.
  if (cut_ == Cut::disk) say_cut(reason.c_str(), 0);
}

// The end of the stream: whole, or cut off where the output failed.
void Writer::finish() {
  if (session_->blocks.error() == 0) {
    put_losses();
    if (cut_ == Cut::limit || cut_ == Cut::disk) put_cut();
    session_->blocks.end(session_->clock.now());
    settle();
  }
  int error = session_->blocks.error();
  const int closing = session_->output.close();
  if (error == 0) error = closing;
  if (error != 0) fail(error);
  else session_->segments.close();
  session_->segments.status().cut.store(static_cast<std::uint64_t>(cut_),
                                        std::memory_order_release);
  const std::size_t segments = session_->segments.capacity() / native::kUnit + 1;
  free_pages(moved_, segments);
  free_pages(open_, segments);
  if (session_->options.mode == Mode::summary) summary_.release();
  session_->blocks.release();
}

// Whoever sees the state finds the reason, sooner or later.
void Writer::end_recording() {
  g_state.store(State::failed, std::memory_order_seq_cst);
  disarm_all();
  session_->segments.wake_all();
}

void Writer::fail(int error) {
  cut_ = Cut::output;
  session_->segments.status().write_error.store(static_cast<std::uint64_t>(error),
                                                std::memory_order_relaxed);
  end_recording();
  say_cut("the output failed", error);
}

void Writer::say_cut(const char* reason, int error) const {
  char text[5000];
  std::snprintf(text, sizeof text, "polytrace: the recording was cut off, %s%s%s: %s\n", reason,
                error != 0 ? ": " : "", error != 0 ? std::strerror(error) : "",
                session_->output.name());
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

}  // namespace polytrace::agent
