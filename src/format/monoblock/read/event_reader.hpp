// SPDX-License-Identifier: Apache-2.0
// Decodes the events of one EVENTS block (docs/formats/monoblock.md, sections 4.6 and 6.3), runs of
// calls by call_run.hpp.
#pragma once

#include "event/batch.hpp"
#include "event/open_calls.hpp"
#include "format/monoblock/layout/account.hpp"
#include "format/monoblock/layout/fixed_sizes.hpp"
#include "format/monoblock/layout/number.hpp"
#include "format/monoblock/read/call_run.hpp"

namespace polytrace::format::monoblock {

class EventReader {
 public:
  // What outlives the block.
  struct Parts {
    event::Batch& batch;
    base::Cursor& in;
    Account& account;
    event::OpenCalls<base::Id>& stack;
    FixedSizes& sizes;
  };

  EventReader(const FileHead& file, const State& state, const Parts& parts, base::Id thread,
              std::uint64_t base)
      : file_(file),
        state_(state),
        batch_(parts.batch),
        in_(parts.in),
        account_(parts.account),
        stack_(parts.stack),
        sizes_(parts.sizes),
        thread_(parts.batch.thread_slot(thread)),
        time_(base),
        frames_left_(kFramesPerByte * in_.left() + kSomeFrames) {}

  // Up to the end of the events or a fault of the cursor.
  void read_all();

 private:
  // A hostile block must not make much memory out of few bytes.
  static constexpr std::size_t kFramesPerByte = 8;
  static constexpr std::size_t kSomeFrames = 65536;

  void read_calls();
  void read_event();
  void read_shipped_event();
  void read_enter(base::Id method);
  void read_leave(base::Id method);
  void read_further(unsigned code);
  void read_shipped_further(std::uint8_t first);
  void read_last_exit();
  void read_alloc(base::Id class_id, bool variable);
  void read_shipped_alloc(base::Id class_id);
  void read_stack_section();
  void skip(unsigned code, std::uint64_t start);
  // `main`, and what the layout has besides; the time has been added.
  void tell(const FurtherEvent& further, std::uint64_t main, std::uint64_t second);
  void finish(unsigned code) {
    if (in_.ok()) account_.record(static_cast<std::uint8_t>(kFirstEvent + code));
  }
  event::Alloc shipped_alloc(std::uint64_t size);
  // The number in the upper bits of the first byte and the one that follows.
  base::Id wide(unsigned low, unsigned bits);
  void pass_time() { time_ += number(in_); }
  event::Time now() const { return static_cast<event::Time>(time_); }
  template <class T>
  void add(base::Id id, const T& details) {
    if (in_.ok()) batch_.add(now(), thread_, id, details);
  }

  const FileHead& file_;
  const State& state_;
  event::Batch& batch_;
  base::Cursor& in_;
  Account& account_;
  event::OpenCalls<base::Id>& stack_;
  FixedSizes& sizes_;
  std::uint16_t thread_;
  std::uint64_t time_;
  event::Stack section_;  // of the last stack section
  std::size_t frames_left_;
  bool ended_ = false;
};

}  // namespace polytrace::format::monoblock
