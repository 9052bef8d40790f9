// SPDX-License-Identifier: Apache-2.0
// The frame of a written file: INTRO before everything, DIRECTIVES before everything else, then
// blocks, each built up in memory and closed with its size. Owns the sink. One thread at a time.
#pragma once

#include <memory>
#include <optional>

#include "base/io/sink.hpp"
#include "format/monoblock/layout/number.hpp"
#include "format/monoblock/layout/variant.hpp"

namespace polytrace::format::monoblock {

// A counter and the time in microseconds that belongs to it.
struct ClockPoint {
  std::uint64_t counter = 0;
  std::uint64_t time = 0;
};

class BlockOutput {
 public:
  explicit BlockOutput(std::unique_ptr<base::Sink> sink) : sink_(std::move(sink)) {}

  // What INTRO says. REQUIRES: !begun().
  void set_flags(std::uint64_t flags) { flags_ = flags; }
  void set_start(ClockPoint start) { start_ = start; }
  bool has_start() const { return start_.has_value(); }
  bool begun() const { return begun_; }
  // The time at a counter, by nanoseconds since the start.
  ClockPoint point_at(std::uint64_t counter) const;
  FileHead head() const { return {Variant::review, start_->counter, start_->time}; }

  // Opens a block, after closing the one before. `counter` starts the file if nothing else has.
  void open(BlockCode code, std::uint64_t counter);
  void close();
  // Whether a block of this code is open.
  bool in(BlockCode code) const { return open_ == code; }
  std::size_t size() const { return content_.size(); }
  // Whether the open block should be closed before more is said.
  bool full() const { return size() >= kFull; }
  // How many bytes it lacks to be full. REQUIRES: it is not.
  std::size_t room() const { return kFull - size(); }
  // A block whose content is at hand.
  void append(BlockCode code, base::Bytes content);
  // INTRO, where nothing has been written yet.
  void begin(std::uint64_t counter);

  base::Appender& content() { return content_; }
  void number(std::uint64_t value) { append_number(content_, value); }
  void clock(ClockPoint point) {
    number(point.counter);
    number(point.time);
  }

  // Hands on to the sink what is ready, if it is much.
  base::result<void> flush_some();
  base::result<void> finish();

 private:
  static constexpr std::size_t kFull = 60'000;

  void append_intro();
  void append_directives();

  std::unique_ptr<base::Sink> sink_;
  base::Appender ready_;    // closed blocks
  base::Appender content_;  // of the open block
  std::optional<BlockCode> open_;
  std::optional<ClockPoint> start_;
  std::uint64_t flags_ = 0;
  bool begun_ = false;
  bool directed_ = false;  // a DIRECTIVES block has been written or is open
};

}  // namespace polytrace::format::monoblock
