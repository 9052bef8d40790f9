// SPDX-License-Identifier: Apache-2.0
// The slow path of a thread that records: memory for its words, and events with bodies.
#pragma once

#include "agent/common/record/recorder.hpp"
#include "agent/common/stream/session.hpp"

namespace polytrace::agent {

// Once per process, before the first event: the end of a thread that records ends its recording.
void watch_thread_ends();
// The calling thread calls end_thread() when it ends.
void watch_end_of_thread();

// The calling thread, on the slow path, for one event. Not to be nested: an event that recording
// itself brings about is not recorded.
class SlowPath {
 public:
  SlowPath();
  ~SlowPath();
  SlowPath(const SlowPath&) = delete;
  SlowPath& operator=(const SlowPath&) = delete;

  // Nothing is recorded: no session, or called from within.
  bool idle() const { return session_ == nullptr; }

  // Room for `words`, and the ticks of now; one thread at a time is in a segment, so the room
  // stays. False: none, and the event is counted as lost.
  bool claim(std::uint32_t words, Patience patience);
  // The same, and nothing is counted as lost.
  bool try_claim(std::uint32_t words, Patience patience);
  // REQUIRES: claim(1 or 2).
  void put(std::uint64_t word, std::uint64_t follows);
  bool put_event(EncodeBody encode, base::Id subject, const void* details, const Lists& lists,
                 Patience patience);
  // An event of `thread`, to which also what follows belongs. REQUIRES: a claim of kCpuWords.
  void put_cpu(std::uint64_t thread, const event::Cpu& cpu);
  static constexpr std::uint32_t kCpuWords = 7;
  // The thread's segment goes to the writer. False: not now (Patience::never).
  bool close(Patience patience);
  // What was lost is told at once if there is memory for it.
  void tell_losses();
  Session& session() const { return *session_; }
  bool has_segment() const { return buffer_.segment != kNoSegment; }

 private:
  bool join(Patience patience);
  bool open(std::uint32_t level, Patience patience);
  bool open_at_once(std::uint32_t level);
  bool open_waiting(std::uint32_t level);
  bool begin_segment(std::uint32_t segment);
  std::uint32_t take_segment(std::uint32_t units);
  std::uint32_t wait_for_segment(std::uint32_t units);
  bool put_body(EncodeBody encode, base::Id subject, const void* details, const Lists& lists);
  void put_losses();
  void put_name();
  void choose_level();
  bool lose();
  void arm();

  ThreadBuffer& buffer_;
  Session* session_;
  std::uint64_t ticks_ = 0;  // since the segment's base
  int errno_;
};

}  // namespace polytrace::agent
