// SPDX-License-Identifier: Apache-2.0
#include "agent/common/record/recorder.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "agent/common/memory/pages.hpp"
#include "agent/common/record/thread_cpu.hpp"
#include "agent/common/record/thread_words.hpp"
#include "agent/common/stream/definitions.hpp"
#include "agent/common/stream/session.hpp"
#include "agent/common/tools/guard.hpp"

namespace polytrace::agent {

namespace native = format::native;

thread_local constinit ThreadBuffer t_buffer __attribute__((tls_model("initial-exec")));

constinit Threads g_threads;
constinit std::atomic<State> g_state{State::idle};
constinit std::atomic<Session*> g_session{nullptr};

namespace {

constinit pthread_mutex_t g_control = PTHREAD_MUTEX_INITIALIZER;  // start, stop, pause, resume
constinit Session* g_sessions = nullptr;                          // all there ever were
constinit Status g_no_status;
constinit std::atomic<Session*> g_latest{nullptr};  // also when it has stopped

bool running() { return g_state.load(std::memory_order_acquire) == State::running; }
bool recording() {
  const State state = g_state.load(std::memory_order_acquire);
  return state == State::running || state == State::paused;
}

// False where the writer failed before: that is not forgotten.
bool begin_stopping() {
  for (State state = g_state.load(std::memory_order_acquire);
       state == State::running || state == State::paused;)
    if (g_state.compare_exchange_weak(state, State::stopping)) return true;
  return false;
}

// The child has one thread and none of our memory.
void after_fork_in_child() {
  g_state.store(State::idle, std::memory_order_relaxed);
  g_session.store(nullptr, std::memory_order_relaxed);
  g_latest.store(nullptr, std::memory_order_relaxed);
  t_buffer.end.store(nullptr, std::memory_order_relaxed);
  t_buffer.next = t_buffer.limit = nullptr;
  t_buffer.segment = kNoSegment;
  t_buffer.session = 0;
  t_buffer.listed = t_buffer.inside = false;
  t_buffer.lost.store(0, std::memory_order_relaxed);
  new (&g_threads) Threads;
  forget_cpu();
  g_control = PTHREAD_MUTEX_INITIALIZER;
}

void watch_forks() {
  static const int watched = pthread_atfork(nullptr, nullptr, &after_fork_in_child);
  static_cast<void>(watched);
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
    number = static_cast<std::uint64_t>(wall_now()) ^ static_cast<std::uint64_t>(getpid()) << 40;
  return number;
}

void sleep_for(base::Duration nanoseconds) {
  const timespec time{0, static_cast<long>(nanoseconds)};
  nanosleep(&time, nullptr);
}

void define_clock(const Session& session) {
  event::Clock clock;
  clock.wall = wall_now();
  clock.ticks_per_second = session.clock.ticks_per_second();
  const time_t now = time(nullptr);
  tm local{};
  localtime_r(&now, &local);
  clock.utc_offset = base::Duration{local.tm_gmtoff} * 1'000'000'000;
  define(clock, base::kNoId);
}

void define_stage(event::RecordingStage stage) {
  event::Recording event;
  event.stage = stage;
  define(event, base::kNoId);
}

std::string fault_of(const char* what, int error) {
  return std::string(what) + ": " + std::strerror(error);
}

// The header and the clock are there before the first event: whatever happens, segments belong to a
// stream. Written by the host's thread, which no signal may hit (a full disk, a closed pipe).
bool begin_stream(Session& session, Faults& faults) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  session.blocks.put_clock(session.clock.line());
  const int error = session.blocks.flush();
  if (error != 0) {
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, error == EPIPE ? SIGPIPE : SIGXFSZ);
    const timespec now{};
    if (error == EPIPE || error == EFBIG) sigtimedwait(&ours, nullptr, &now);
    faults.push_back(fault_of(session.output.name(), error));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error == 0;
}

// A converter is the only one to read the segments of its stream, which is nowhere else.
bool begin_output(Session& session, Faults& faults) {
  if (session.output.converts()) session.segments.forget_name();
  return session.output.begin(session.options, session.segments.descriptor(), faults);
}

// All of it but the thread. False with the reason; what was made of files is gone then.
bool open_session(Session& session, Faults& faults, int output_fd) {
  session.stream = random_number();
  session.clock.start(session.options.clock);
  if (!session.output.open(session.options, output_fd, faults)) return false;
  char path[4096];
  session.output.segments_path(session.options, session.stream, path, sizeof path);
  const int error = session.segments.create(path, session.options.buffer, session.stream);
  if (error != 0) faults.push_back(fault_of(*path != '\0' ? path : "segments", error));
  if (error != 0) return false;
  session.links = zeroed_pages<std::uint32_t>(session.segments.capacity() / native::kUnit + 1);
  const bool memory =
      session.links != nullptr &&
      session.blocks.start(session.output, session.segments.status(), session.stream) &&
      session.definitions.start(session.segments, session.clock, session.links);
  if (!memory) faults.push_back(fault_of("memory", ENOMEM));
  if (memory && begin_output(session, faults) && begin_stream(session, faults)) return true;
  session.segments.close();
  return false;
}

// What threads used up to now. A writer that is held up must not hold up the program.
void tell_cpu_at_last(base::Duration patience = 1'000'000'000) {
  constexpr base::Duration kMost = 1'000'000'000;
  Session* const session = g_session.load(std::memory_order_acquire);
  if (session != nullptr && session->options.cpu != 0 && running())
    session->writer.flush(std::min(patience, kMost), false);
}

// Cut off, but with an end that says so, or by its time.
bool is_told_cut(const Session& session) {
  const auto cut = static_cast<Cut>(session.segments.status().cut.load(std::memory_order_acquire));
  return cut == Cut::limit || cut == Cut::disk || cut == Cut::time;
}

}  // namespace

void disarm_all() {
  const Guard guard(g_threads.mutex);
  for (ThreadBuffer* at = g_threads.first; at != nullptr; at = at->after)
    at->end.store(nullptr, std::memory_order_seq_cst);
}

// --- what agents call
// -----------------------------------------------------------------------------

void record_word_slowly(std::uint64_t word, std::uint64_t follows) {
  if (!running()) return;
  SlowPath path;
  if (!path.idle() && path.claim(follows != 0 ? 2 : 1, Patience::policy)) path.put(word, follows);
}

bool record_body(EncodeBody encode, base::Id subject, const void* details, const Lists& lists,
                 Patience patience) {
  if (!running()) return false;
  SlowPath path;
  return !path.idle() && path.put_event(encode, subject, details, lists, patience);
}

namespace {

// Tries again while the writer makes room.
template <class Try>
bool until_room(Session& session, const Try& attempt) {
  constexpr base::Duration kRound = 20'000'000;
  for (;;) {
    const Definitions::Outcome outcome = attempt();
    if (outcome == Definitions::Outcome::done) return true;
    const State state = g_state.load(std::memory_order_acquire);
    if (outcome == Definitions::Outcome::too_large) {
      session.segments.status().lost.fetch_add(1, std::memory_order_relaxed);
      const std::uint64_t now = session.clock.now();
      const Guard guard(g_threads.mutex);
      session.losses.add({base::kNoId, 1, now, now});
      return false;
    }
    if (state != State::running && state != State::paused) return false;
    session.writer.wake();
    session.segments.wait_for_free(kRound);
  }
}

}  // namespace

bool define_body(EncodeBody encode, base::Id subject, const void* details, const Lists& lists) {
  const int before = errno;
  Session* const session = g_session.load(std::memory_order_acquire);
  if (session == nullptr || g_state.load(std::memory_order_acquire) == State::failed) return false;
  const bool done = until_room(
      *session, [&] { return session->definitions.define(encode, subject, details, lists); });
  errno = before;
  return done;
}

bool define_site(const Site& site) {
  Session* const session = g_session.load(std::memory_order_acquire);
  if (session == nullptr || !recording()) return false;
  const int before = errno;
  const bool done = until_room(*session, [&] { return session->definitions.add_site(site); });
  session->writer.wake();
  errno = before;
  return done;
}

void name_thread(base::Id thread) {
  t_buffer.named = true;
  if (t_buffer.thread != thread) end_cpu();
  t_buffer.thread = thread;
  t_buffer.cpu_ended = false;
  switch_thread(thread);
  const Session* const session = g_session.load(std::memory_order_acquire);
  if (session != nullptr) watch_cpu(*session, Patience::policy);
}

// Not to be lost while paused: the next event may go into the same segment.
void switch_thread(base::Id thread) {
  const base::Id target = thread == base::kNoId ? t_buffer.thread : thread;
  if (this_thread() == target) return;
  t_buffer.current.store(target, std::memory_order_relaxed);
  if (t_buffer.segment == kNoSegment || !recording()) return;
  SlowPath path;
  if (path.idle() || !path.has_segment() || !path.claim(2, Patience::policy)) return;
  path.put(native::escape_word(native::Escape::thread, 0, 0), target | native::kFollows);
}

namespace {

// REQUIRES: Threads::mutex is held.
void keep_losses(Session& session) {
  session.losses.add({t_buffer.current.load(std::memory_order_relaxed), t_buffer.lost.exchange(0),
                      t_buffer.lost_from.load(std::memory_order_relaxed),
                      t_buffer.lost_to.load(std::memory_order_relaxed)});
}

}  // namespace

void end_thread() {
  end_cpu();
  t_buffer.cpu_ended = false;
  {
    SlowPath path;
    if (!path.idle() && t_buffer.session == path.session().number) {
      path.tell_losses();
      path.close(Patience::policy);
      const Guard guard(g_threads.mutex);
      keep_losses(path.session());
    }
  }
  t_buffer.end.store(nullptr, std::memory_order_relaxed);
  const Guard guard(g_threads.mutex);
  if (!t_buffer.listed) return;
  t_buffer.listed = false;
  t_buffer.session = 0;
  if (t_buffer.before != nullptr) t_buffer.before->after = t_buffer.after;
  else g_threads.first = t_buffer.after;
  if (t_buffer.after != nullptr) t_buffer.after->before = t_buffer.before;
  t_buffer.before = t_buffer.after = nullptr;
}

base::Id this_thread() {
  const base::Id current = t_buffer.current.load(std::memory_order_relaxed);
  return current != 0 ? current : base::kNoId;
}

// --- the recorder
// ---------------------------------------------------------------------------------

Recorder& Recorder::the() {
  static constinit Recorder recorder;
  return recorder;
}

bool Recorder::start(const Options& options, Faults& faults, int output_fd) {
  if (options.off) return true;
  const Guard guard(g_control);
  if (g_session.load() != nullptr) {
    faults.emplace_back("a recording is running already");
    return false;
  }
  auto* const session = new (std::nothrow) Session;
  if (session == nullptr) return false;
  session->before = std::exchange(g_sessions, session);
  session->number = session->before == nullptr ? 1 : session->before->number + 1;
  session->options = options;
  session->options.cpu = cpu_interval(options);
  if (!open_session(*session, faults, output_fd)) {
    session->output.discard();
    return false;
  }
  watch_forks();
  watch_thread_ends();
  Status& status = session->segments.status();
  status.started.store(static_cast<std::uint64_t>(wall_now()), std::memory_order_relaxed);
  g_state.store(options.paused ? State::paused : State::running, std::memory_order_seq_cst);
  g_latest.store(session, std::memory_order_release);
  g_session.store(session, std::memory_order_release);
  define_clock(*session);
  define_stage(options.paused ? event::RecordingStage::pause : event::RecordingStage::start);
  const int error = session->writer.start(*session);
  if (error == 0) return true;
  g_state.store(State::idle, std::memory_order_seq_cst);
  g_session.store(nullptr, std::memory_order_release);
  session->segments.close();
  session->output.discard();
  faults.push_back(fault_of("a thread", error));
  return false;
}

void Recorder::pause() {
  constexpr base::Duration kSummaryPatience = 5'000'000'000;
  const Guard guard(g_control);
  tell_cpu_at_last();
  State expected = State::running;
  if (!g_state.compare_exchange_strong(expected, State::paused)) return;
  disarm_all();
  define_stage(event::RecordingStage::pause);
  Session* const session = g_session.load(std::memory_order_acquire);
  if (session->options.mode == Mode::summary) session->writer.flush(kSummaryPatience, true);
}

void Recorder::resume() {
  const Guard guard(g_control);
  if (state() != State::paused) return;
  define_stage(event::RecordingStage::resume);
  State expected = State::paused;
  g_state.compare_exchange_strong(expected, State::running);
}

bool Recorder::flush(base::Duration patience) {
  Session* const session = g_session.load(std::memory_order_acquire);
  return session != nullptr && session->writer.flush(patience, false);
}

bool Recorder::dump(base::Duration patience) {
  Session* const session = g_session.load(std::memory_order_acquire);
  return session != nullptr && session->writer.flush(patience, true);
}

bool Recorder::stop(base::Duration deadline) {
  constexpr base::Duration kInFlight = 2'000'000;
  const Guard guard(g_control);
  Session* const session = g_session.load(std::memory_order_acquire);
  if (session == nullptr) return true;
  const base::Time until = monotonic_now() + deadline;
  tell_cpu_at_last(deadline);
  const bool whole_so_far = begin_stopping();
  disarm_all();
  session->segments.wake_all();
  // Nobody waits for memory any more: it is told if there is some.
  if (whole_so_far) define_stage(event::RecordingStage::end);
  sleep_for(kInFlight);
  session->output.give_up_at(until);
  const bool ended = session->writer.stop(until - monotonic_now() + kInFlight);
  const bool whole = ended && (state() == State::stopping || is_told_cut(*session));
  g_session.store(nullptr, std::memory_order_release);
  g_state.store(whole ? State::idle : State::failed, std::memory_order_seq_cst);
  if (ended) session->segments.retire();
  return whole;
}

void Recorder::tell_lost(std::uint64_t events, std::uint64_t from, std::uint64_t to,
                         std::string_view reason) {
  Session* const session = g_session.load(std::memory_order_acquire);
  if (session == nullptr) return;
  session->segments.status().lost.fetch_add(events, std::memory_order_relaxed);
  event::Lost event;
  event.records = events;
  event.from = session->clock.time_of(from);
  event.to = session->clock.time_of(to);
  event.reason = reason;
  define(event, base::kNoId);
}

void Recorder::count_left_out() {
  Session* const session = g_session.load(std::memory_order_acquire);
  if (session != nullptr)
    session->segments.status().left_out.fetch_add(1, std::memory_order_relaxed);
}

State Recorder::state() const { return g_state.load(std::memory_order_acquire); }

const Status& Recorder::status() const {
  const Session* const session = g_latest.load(std::memory_order_acquire);
  return session != nullptr ? session->segments.status() : g_no_status;
}

const char* Recorder::output_name() const {
  const Session* const session = g_latest.load(std::memory_order_acquire);
  return session != nullptr ? session->output.name() : "";
}

base::Time Recorder::now() const {
  const Session* const session = g_session.load(std::memory_order_acquire);
  return session != nullptr ? session->clock.time() : monotonic_now();
}

}  // namespace polytrace::agent
