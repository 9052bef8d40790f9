// SPDX-License-Identifier: Apache-2.0
// What agents call to record. One recorder per process; every function may be called on any thread,
// at any time, also before start() and after stop(): then it does nothing.
//
//   events       enter(), leave(), unwind(), alloc_at(), alloc_array_at(), emit(): on the thread
//   they
//                happen on, with the time of the call; into memory that outlives a killed process
//   definitions  define(), define_site(): agent-wide, without a thread; in the stream they stand
//                before every event that was recorded after define() returned
//
// Nothing throws, allocates from the heap or ends the process. errno is kept. No event may be
// recorded from a signal handler that can interrupt recording. After fork() a child records
// nothing.
#pragma once

#include "agent/common/memory/status.hpp"
#include "agent/common/memory/thread_buffer.hpp"
#include "agent/common/options/options.hpp"
#include "agent/common/stream/event_body.hpp"
#include "format/native/wire/sealing.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent {

// What an event does when no memory is free.
enum class Patience : std::uint8_t {
  policy,  // what the policy says: with `block` it waits for the writer
  never    // dropped and counted, and no lock is waited for: collector and monitor callbacks
};

// The ways of the slow path; agents do not call them. `word` lacks its ticks; `follows` is the word
// behind it, 0 for none.
void record_word_slowly(std::uint64_t word, std::uint64_t follows);
bool record_body(EncodeBody encode, base::Id subject, const void* details, const Lists& lists,
                 Patience patience);
bool define_body(EncodeBody encode, base::Id subject, const void* details, const Lists& lists);

// The writer thread's processor has cleared the lines of words to come. Runtimes that fence behind
// native calls would wait for each of them.
inline constexpr int kWordsAhead = 64;

// One aligned store, or two where something follows: that one first. False: the slow path is
// wanted.
template <bool kTwo>
inline bool try_word(std::uint64_t word, std::uint64_t follows) {
  ThreadBuffer& buffer = t_buffer;
  WordSlot* const at = buffer.next;
  const auto last = reinterpret_cast<std::uintptr_t>(at) + (kTwo ? sizeof *at : 0);
  const WordSlot* const end = buffer.end.load(std::memory_order_relaxed);
  if (last >= reinterpret_cast<std::uintptr_t>(end)) [[unlikely]]
    return false;
  const std::uint64_t ticks = read_counter() - buffer.base;
  if (ticks > format::native::kMaxTicks) [[unlikely]]
    return false;
  if constexpr (kTwo) at[1].store(follows, std::memory_order_relaxed);
  at->store(word | ticks << format::native::kTickShift, std::memory_order_release);
  buffer.next = at + 1 + kTwo;
  prefetch_to_write(at + kWordsAhead);
  return true;
}

// `slowly`: what is called, with a word and what follows it, instead of the slow path. It begins a
// thread's every recording, and may end with record_word_slowly().
template <bool kTwo, class Slowly>
inline void record_word(std::uint64_t word, std::uint64_t follows, const Slowly& slowly) {
  if (!try_word<kTwo>(word, follows)) [[unlikely]]
    slowly(word, follows);
}
struct Slowly {
  void operator()(std::uint64_t word, std::uint64_t follows) const {
    record_word_slowly(word, follows);
  }
};

// --- events, on the calling thread --------------------------------------------------------------

// Methods have numbers from 1 to format::native::kMaxMethod, given by the agent.
template <class S = Slowly>
inline void enter(std::uint32_t method, const S& slowly = {}) {
  using format::native::Word;
  record_word<false>(format::native::call_word(Word::enter, method, 0), 0, slowly);
}
template <class S = Slowly>
inline void leave(std::uint32_t method, const S& slowly = {}) {
  using format::native::Word;
  record_word<false>(format::native::call_word(Word::leave, method, 0), 0, slowly);
}
// A frame left by an exception, where the runtime tells the difference.
template <class S = Slowly>
inline void unwind(std::uint32_t method, const S& slowly = {}) {
  using format::native::Escape;
  record_word<true>(format::native::escape_word(Escape::unwind, 0, 0),
                    method | format::native::kFollows, slowly);
}
// An allocation at a place told by define_site(): numbers from 0 to format::native::kMaxArgument.
template <class S = Slowly>
inline void alloc_at(std::uint32_t number, const S& slowly = {}) {
  using format::native::Escape;
  record_word<false>(format::native::escape_word(Escape::alloc, number, 0), 0, slowly);
}
// The same of an array with `length` elements.
template <class S = Slowly>
inline void alloc_array_at(std::uint32_t number, std::uint32_t length, const S& slowly = {}) {
  using format::native::Escape;
  record_word<true>(format::native::escape_word(Escape::alloc_array, number, 0),
                    length | format::native::kFollows, slowly);
}
// The calling thread's next event takes the slow path.
inline void be_slow() { t_buffer.end.store(nullptr, std::memory_order_relaxed); }

// Any event of event/kinds.def; `subject` is what its row names, kNoId for none. Texts and lists
// are read before it returns. False: not recorded; when that was for lack of room, or because the
// event takes more than kMostEvent bytes, it was counted as lost.
template <class T>
bool emit(const T& details, base::Id subject, const Lists& lists = {},
          Patience patience = Patience::policy) {
  return record_body(&encode_as<T>, subject, &details, lists, patience);
}
inline constexpr std::size_t kMostEvent = 192 * 1024;

// The fast path of an event that the caller encoded himself: `count` words that hold the length of
// the body as a `var`, the body, and zero bytes. False: not recorded, and not counted; emit() does
// what is to be done then.
inline bool emit_encoded(const std::uint64_t* words, std::size_t count) {
  ThreadBuffer& buffer = t_buffer;
  WordSlot* const at = buffer.next;
  const auto last = reinterpret_cast<std::uintptr_t>(at) + count * sizeof *at;
  const WordSlot* const end = buffer.end.load(std::memory_order_relaxed);
  if (last >= reinterpret_cast<std::uintptr_t>(end)) return false;
  const std::uint64_t ticks = read_counter() - buffer.base;
  if (ticks > format::native::kMaxTicks) return false;
  for (std::size_t i = 0; i < count; ++i) at[1 + i].store(words[i], std::memory_order_relaxed);
  at->store(format::native::escape_word(format::native::Escape::event, count, ticks),
            std::memory_order_release);
  buffer.next = at + 1 + count;
  prefetch_to_write(at + kWordsAhead);
  return true;
}

// --- definitions --------------------------------------------------------------------------------

// Any event of event/kinds.def that tells what numbers mean (Class, Method, Thread ...), or that
// belongs to no thread. May wait for the writer, whatever the policy: not for collector callbacks.
// Definitions are recorded while a recorder runs, paused or not. False: not recorded.
template <class T>
bool define(const T& details, base::Id subject, const Lists& lists = {}) {
  return define_body(&encode_as<T>, subject, &details, lists);
}

// A place that allocates (docs/formats/native.md, section 7), before its first allocation. It
// reaches the stream with the writer's next round: a killed process may leave allocations at sites
// unknown.
using Site = format::native::Site;
bool define_site(const Site& site);

// --- threads ------------------------------------------------------------------------------------

// The calling thread's number (at most 63 bits), never used for another thread of this process. A
// thread that records before it is told gets one with bit 62 set. Tell it before its first event.
void name_thread(base::Id thread);
// From here on the calling thread's events belong to `thread`: a virtual thread was mounted.
// kNoId: to itself again.
void switch_thread(base::Id thread);
// The CPU time of the calling thread up to now, and no more of it: to be called before an event
// that says that the thread ends. end_thread() does it where nobody has.
void end_cpu();
// Hands over the calling thread's segment. Not needed (the end of the thread does it), but sooner.
void end_thread();
// The number that the calling thread's events carry.
base::Id this_thread();

// --- the recorder -------------------------------------------------------------------------------

class Recorder {
 public:
  static Recorder& the();

  // Opens the output, maps the segments, starts the writer; records the clock and the event
  // Recording start (and, later, pause, resume, end). Process, Setting and FilterRule are the
  // agent's. False with the reasons in `faults`:
  // nothing is running then. A recorder that has stopped can start again. With Options::off it
  // does nothing and gives true. `output_fd`: -1, or where the stream goes instead of
  // Options::file (a socket or pipe of the control server); it is closed at the end.
  bool start(const Options& options, Faults& faults, int output_fd = -1);

  // Events are let go without being counted until resume(). Both record the event, once.
  void pause();
  void resume();

  // Returns when everything recorded before the call is in the stream, or after `patience` ns:
  // then false.
  bool flush(base::Duration patience);
  // Policy ring: what is kept goes into the stream, as flush(). Mode summary: the tables so far.
  bool dump(base::Duration patience);

  // Ends recording: what was recorded is written, the output closed, the segment file removed.
  // After `deadline` ns the rest stays in the segment file, and false is given. Threads may go on
  // recording: it goes nowhere. Safe while they do.
  bool stop(base::Duration deadline);

  // Events that were in the stream's file and are not any more, of these ticks.
  void tell_lost(std::uint64_t events, std::uint64_t from, std::uint64_t to,
                 std::string_view reason);

  // One more thing was named that could not be recorded (event/missing.hpp).
  void count_left_out();

  State state() const;
  bool running() const { return state() == State::running; }
  // Lives for ever; the counters move on.
  const Status& status() const;
  // Where the stream goes, as told to people; "" before start().
  const char* output_name() const;

  // Nanoseconds of CLOCK_MONOTONIC as the stream will give for an event of now.
  base::Time now() const;

 private:
  Recorder() = default;
};

}  // namespace polytrace::agent
