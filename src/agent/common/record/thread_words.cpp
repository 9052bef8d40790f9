// SPDX-License-Identifier: Apache-2.0
#include "agent/common/record/thread_words.hpp"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "agent/common/record/thread_cpu.hpp"
#include "agent/common/tools/guard.hpp"

namespace polytrace::agent {

namespace native = format::native;
using native::Escape;
using native::kMaxTicks;
using native::SegmentHeader;
using native::SegmentState;

namespace {

constexpr std::uint32_t kMostLevel = kSegmentSizes - 1;
constexpr base::Duration kCpuSecond = 1'000'000'000;
constexpr std::uint32_t kWakeUnits = kMostUnits;  // full ones that wait

constexpr std::uint32_t units_at(std::uint32_t level) { return 1U << (2 * level); }

void publish_state(SegmentHeader& header, SegmentState state) {
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&header.state),
                   static_cast<std::uint32_t>(state), __ATOMIC_RELEASE);
}

void end_of_thread(void* /*buffer*/) { end_thread(); }

pthread_key_t thread_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, &end_of_thread);
    return made;
  }();
  return key;
}

std::uint64_t next_unnamed_thread() {
  static constinit std::atomic<std::uint64_t> count{0};
  return (std::uint64_t{1} << 62) | (count.fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace

void watch_thread_ends() { thread_key(); }
void watch_end_of_thread() { pthread_setspecific(thread_key(), &t_buffer); }

SlowPath::SlowPath() : buffer_(t_buffer), session_(nullptr), errno_(errno) {
  if (buffer_.inside) return;
  session_ = g_session.load(std::memory_order_acquire);
  buffer_.inside = session_ != nullptr;
}

SlowPath::~SlowPath() {
  if (session_ != nullptr) {
    arm();
    buffer_.inside = false;
  }
  errno = errno_;
}

// The fast path may go on, unless somebody stops it meanwhile.
void SlowPath::arm() {
  if (session_->clock.kind() != ClockKind::counter || buffer_.session != session_->number) return;
  buffer_.end.store(buffer_.limit, std::memory_order_seq_cst);
  if (g_state.load(std::memory_order_seq_cst) != State::running)
    buffer_.end.store(nullptr, std::memory_order_seq_cst);
}

// The thread's first event of this session.
bool SlowPath::join(Patience patience) {
  const Guard guard(g_threads.mutex, patience == Patience::policy);
  if (!guard.held()) return false;
  buffer_.session = session_->number;
  buffer_.introduced = false;
  buffer_.next = buffer_.limit = nullptr;
  buffer_.segment = kNoSegment;
  buffer_.level = 0;
  if (!buffer_.named && buffer_.thread == 0) buffer_.thread = next_unnamed_thread();
  if (buffer_.current.load(std::memory_order_relaxed) == 0)
    buffer_.current.store(buffer_.thread, std::memory_order_relaxed);
  if (buffer_.listed) return true;
  watch_end_of_thread();
  buffer_.listed = true;
  buffer_.before = nullptr;
  buffer_.after = g_threads.first;
  if (buffer_.after != nullptr) buffer_.after->before = &buffer_;
  g_threads.first = &buffer_;
  return true;
}

bool SlowPath::claim(std::uint32_t words, Patience patience) {
  return try_claim(words, patience) || lose();
}

bool SlowPath::try_claim(std::uint32_t words, Patience patience) {
  if (buffer_.session != session_->number && !join(patience)) return false;
  for (bool opened = false;; opened = true) {
    const auto passed = static_cast<std::int64_t>(session_->clock.now() - buffer_.base);
    ticks_ = passed > 0 ? static_cast<std::uint64_t>(passed) : 0;
    const bool room = buffer_.limit - buffer_.next >= static_cast<std::ptrdiff_t>(words);
    if (has_segment() && room && ticks_ <= kMaxTicks) return true;
    if (opened) return false;
    if (has_segment()) choose_level();
    if (!close(patience) || !open(buffer_.level, patience)) return false;
  }
}

void SlowPath::put(std::uint64_t word, std::uint64_t follows) {
  WordSlot* const at = buffer_.next;
  if (follows != 0) at[1].store(follows, std::memory_order_relaxed);
  at->store(word | ticks_ << native::kTickShift, std::memory_order_release);
  buffer_.next = at + (follows != 0 ? 2 : 1);
}

void SlowPath::put_cpu(std::uint64_t thread, const event::Cpu& cpu) {
  put(native::escape_word(Escape::thread, 0, 0), thread | native::kFollows);
  put_body(&encode_as<event::Cpu>, base::kNoId, &cpu, {});
}

bool SlowPath::put_event(EncodeBody encode, base::Id subject, const void* details,
                         const Lists& lists, Patience patience) {
  if (!claim(2, patience)) return false;
  if (put_body(encode, subject, details, lists)) return true;
  // Not into what is left of this segment: then into the smallest whole one it fits into.
  for (std::uint32_t level = buffer_.level; level < kSegmentSizes; ++level) {
    if (!close(patience) || !open(level, patience)) break;
    if (put_body(encode, subject, details, lists)) return true;
  }
  return lose();
}

// In place: the payload first, then the escape word that makes it count.
bool SlowPath::put_body(EncodeBody encode, base::Id subject, const void* details,
                        const Lists& lists) {
  constexpr std::size_t kMostLength = 3;  // bytes of the number before the body
  const auto room = static_cast<std::size_t>(buffer_.limit - buffer_.next) * sizeof(WordSlot);
  if (room < 2 * sizeof(WordSlot)) return false;
  auto* const begin = reinterpret_cast<std::byte*>(buffer_.next + 1);
  native::ByteOutput body(begin + kMostLength, room - sizeof(WordSlot) - kMostLength);
  encode(body, subject, details, lists);
  const std::size_t size = body.size();
  if (!body.ok() || size > kMostEvent) {
    std::memset(body.begin(), 0, size);
    return false;
  }
  const std::size_t length = native::var_bytes(size);
  std::memmove(begin + length, body.begin(), size);
  native::put_var(begin, size);
  std::memset(begin + length + size, 0, kMostLength - length);
  const std::size_t words = (length + size + sizeof(WordSlot) - 1) / sizeof(WordSlot);
  buffer_.next->store(native::escape_word(Escape::event, words, ticks_), std::memory_order_release);
  buffer_.next += 1 + words;
  return true;
}

bool SlowPath::close(Patience patience) {
  if (!has_segment()) return true;
  bool wake = false;
  {
    const Guard guard(g_threads.mutex, patience == Patience::policy);
    if (!guard.held()) return false;
    SegmentHeader& header = *session_->segments.header(buffer_.segment);
    publish_state(header, SegmentState::full);
    session_->full.push(session_->links, buffer_.segment);
    session_->full_units += header.units;
    session_->pending.fetch_add(1, std::memory_order_relaxed);
    wake = session_->full_units >= kWakeUnits;
    buffer_.segment = kNoSegment;
  }
  buffer_.next = buffer_.limit = nullptr;
  if (wake) session_->writer.wake();
  return true;
}

void SlowPath::tell_losses() {
  if (buffer_.lost.load(std::memory_order_relaxed) != 0 && close(Patience::policy))
    open(0, Patience::never);
}

bool SlowPath::open(std::uint32_t level, Patience patience) {
  if (!(patience == Patience::never ? open_at_once(level) : open_waiting(level))) return false;
  buffer_.base = session_->segments.header(buffer_.segment)->base_tick;
  buffer_.next = session_->segments.words(buffer_.segment);
  buffer_.limit = buffer_.next + session_->segments.words_of(buffer_.segment);
  ticks_ = 0;
  if (!buffer_.named && !buffer_.introduced) put_name();
  put_losses();
  watch_cpu(*session_, patience);
  return true;
}

bool SlowPath::open_at_once(std::uint32_t level) {
  const Guard guard(g_threads.mutex, false);
  return guard.held() && begin_segment(session_->segments.take(units_at(level), false));
}

bool SlowPath::open_waiting(std::uint32_t level) {
  const std::uint32_t segment = take_segment(units_at(level));
  const Guard guard(g_threads.mutex);
  return begin_segment(segment);
}

// REQUIRES: Threads::mutex is held.
bool SlowPath::begin_segment(std::uint32_t segment) {
  if (segment == kNoSegment) return false;
  SegmentHeader& header = *session_->segments.header(segment);
  header.thread = buffer_.current.load(std::memory_order_relaxed);
  header.number = session_->numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  header.base_tick = session_->clock.now();
  publish_state(header, SegmentState::open);
  buffer_.segment = segment;
  return true;
}

std::uint32_t SlowPath::take_segment(std::uint32_t units) {
  const std::uint32_t segment = session_->segments.take(units, true);
  if (segment != kNoSegment) return segment;
  session_->writer.wake();
  return session_->options.policy == Policy::drop ? kNoSegment : wait_for_segment(units);
}

// Where nothing is on its way to the stream, other threads' open segments are all there is: nothing
// will become free, however long this one waits.
std::uint32_t SlowPath::wait_for_segment(std::uint32_t units) {
  constexpr base::Duration kRound = kCpuSecond / 20;
  constexpr int kHopelessRounds = 3;
  Status& status = session_->segments.status();
  status.stalls.fetch_add(1, std::memory_order_relaxed);
  const base::Time begin = monotonic_now();
  std::uint32_t segment = kNoSegment;
  for (int hopeless = 0; segment == kNoSegment && hopeless < kHopelessRounds;) {
    hopeless = session_->pending.load(std::memory_order_relaxed) == 0 ? hopeless + 1 : 0;
    const State state = g_state.load(std::memory_order_acquire);
    if (state != State::running && state != State::paused) break;
    session_->segments.wait_for_free(kRound);
    segment = session_->segments.take(units, true);
    if (segment == kNoSegment) session_->writer.wake();
  }
  status.stalled.fetch_add(static_cast<std::uint64_t>(monotonic_now() - begin),
                           std::memory_order_relaxed);
  return segment;
}

// A thread that fills one quickly gets larger ones, and a slow one smaller ones again.
void SlowPath::choose_level() {
  constexpr base::Duration kQuick = kCpuSecond;
  constexpr base::Duration kSlow = 30 * kCpuSecond;
  const base::Duration took = session_->clock.time() - session_->clock.time_of(buffer_.base);
  if (took < kQuick) buffer_.level = std::min(buffer_.level + 1, kMostLevel);
  else if (took > kSlow && buffer_.level > 0) --buffer_.level;
}

void SlowPath::put_losses() {
  const std::uint64_t lost = buffer_.lost.exchange(0, std::memory_order_acq_rel);
  if (lost == 0) return;
  event::Lost event;
  event.records = lost;
  event.from = session_->clock.time_of(buffer_.lost_from.load(std::memory_order_relaxed));
  event.to = session_->clock.time_of(buffer_.lost_to.load(std::memory_order_relaxed));
  event.reason = "no memory was free";
  put_body(&encode_as<event::Lost>, base::kNoId, &event, {});
}

// No agent named this thread: of a collector, most often. What the system calls it is known without
// a lock.
void SlowPath::put_name() {
  constexpr std::size_t kNameSize = 16;
  char name[kNameSize] = {};
  prctl(PR_GET_NAME, name);
  event::Thread event;
  event.name = name;
  event.os_thread = static_cast<base::Id>(gettid());
  buffer_.introduced = put_body(&encode_as<event::Thread>, buffer_.thread, &event, {});
}

bool SlowPath::lose() {
  const std::uint64_t now = session_->clock.now();
  if (buffer_.lost.load(std::memory_order_relaxed) == 0)
    buffer_.lost_from.store(now, std::memory_order_relaxed);
  buffer_.lost_to.store(now, std::memory_order_relaxed);
  buffer_.lost.fetch_add(1, std::memory_order_acq_rel);
  session_->segments.status().lost.fetch_add(1, std::memory_order_relaxed);
  return false;
}

}  // namespace polytrace::agent
