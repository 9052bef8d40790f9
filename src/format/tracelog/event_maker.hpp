// SPDX-License-Identifier: Apache-2.0
// Lines to the common events: docs/formats/tracelog.md, section 6. One chunk into one batch, one
// thread at a time.
#pragma once

#include "event/batch.hpp"
#include "format/tracelog/lines/watch.hpp"

namespace polytrace::format::tracelog {

class EventMaker {
 public:
  // Both outlive the maker.
  EventMaker(event::Batch& batch, const ChunkStart& start);

  // The quick lines up to number `end` of the chunk's.
  void tell_quick(std::size_t end);
  // The next other line with its end, its place in the stream, and its number.
  void tell(std::string_view line, std::uint64_t offset, std::uint64_t number);

 private:
  // A thread as far as the chunk knows it.
  struct Thread {
    base::Id id = base::kNoId;
    event::Stack stack;  // in the batch
    std::uint16_t slot = 0;
    bool has_slot = false;
  };

  void count(Key key, event::Tally::Records lines);
  void tell_quick_allocations(Thread& of, std::size_t count);
  event::u32 push(event::u32 first, const ChunkStart::Quick& quick);
  void change(event::Stack& stack, const SampleLine& sample);
  bool tell_sample(std::string_view text);
  void tell_record();
  void tell_session();
  void tell_thread();
  void tell_loaded();
  void tell_class();
  void tell_function();
  void tell_code(base::Id method);
  void tell_jit(event::JitStage stage, std::uint32_t status);
  void tell_collection();
  void tell_census();
  void tell_sizes();
  bool tell_allocations();
  void tell_source();

  Thread& thread(base::Id id);
  std::uint16_t slot(Thread& of);
  std::uint16_t slot(base::Id id) { return slot(thread(id)); }
  std::uint16_t no_thread() { return slot(base::kNoId); }
  base::Id named_thread(std::size_t field);
  event::Stack put(const Frames& frames);
  void take_time(std::size_t field);
  event::Text keep(std::string_view text);
  std::uint32_t narrow(std::uint64_t value);
  void note(base::Code code, std::uint64_t bytes, std::string detail = {});
  std::uint64_t number(std::size_t field) const { return line_.numbers[field]; }

  event::Batch& batch_;
  const ChunkStart& start_;
  base::Time now_;
  base::IdTable ids_;
  std::vector<Thread> threads_;  // by index
  std::size_t next_thread_ = 0;  // of start_.threads
  std::size_t next_refused_ = 0;
  std::size_t next_quick_ = 0;  // of start_.quick_lines, and so on
  std::size_t next_frame_ = 0;
  std::size_t next_allocation_ = 0;
  SampleLine sample_;
  Frames frames_;
  Line line_;
  std::uint64_t offset_ = 0;  // of the line at hand
  std::uint64_t number_ = 0;
};

}  // namespace polytrace::format::tracelog
