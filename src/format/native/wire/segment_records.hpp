// SPDX-License-Identifier: Apache-2.0
// The records of a segment (docs/formats/native.md, section 9, content 2) as records of blocks:
// what words.hpp is for words, to be used in the same way. The recorder writes them with a
// RecordEncoder and then tells how many bytes are complete. No library; one thread at a time,
// besides the one that fills the segment.
#pragma once

#include "format/native/wire/record_encoder.hpp"

namespace polytrace::format::native {

class SegmentRecords {
 public:
  SegmentRecords() = default;
  // The bytes behind a segment's header, of which none is complete.
  SegmentRecords(const std::byte* bytes, std::uint64_t base_tick, base::Id thread)
      : bytes_(bytes), at_(bytes), end_(bytes), tick_(base_tick), owner_(thread), thread_(thread) {}

  // So many bytes are complete by now. REQUIRES: never fewer.
  void set_complete(std::uint32_t bytes) { end_ = bytes_ + bytes; }

  base::Id owner() const { return owner_; }
  // Bytes that were moved so far.
  std::uint32_t taken() const { return static_cast<std::uint32_t>(at_ - bytes_); }
  // Bytes that no recorder writes: nothing behind them can be read.
  bool damaged() const { return damaged_; }
  // Whether there is a further event.
  bool ready() {
    while (!have_ && !damaged_ && at_ != end_) find();
    return have_;
  }
  // REQUIRES: ready().
  std::uint64_t next_tick() const { return tick_; }
  base::Id thread() const { return thread_; }

  // Appends what is there, as far as the block has room. False if that was nothing, though there is
  // an event.
  bool move_to(RecordEncoder& out) {
    bool moved = false;
    while (ready()) {
      if (!out.thread(thread_) || !out.body(tick_, body_)) return moved;
      at_ = body_.data() + body_.size();
      have_ = false;
      moved = true;
    }
    return true;
  }
  // Passes over the first bytes, which earlier blocks took.
  void skip_to(std::uint32_t taken) {
    while (this->taken() < taken && ready()) {
      at_ = body_.data() + body_.size();
      have_ = false;
    }
  }

 private:
  // Reads one record: an event is kept, what only tells its tick or thread is done with.
  void find() {
    const std::byte* at = at_;
    const auto first = static_cast<unsigned>(*at++);
    const auto record = static_cast<Record>(first >> 2);
    const std::uint64_t number = take_var(at, end_);
    if (first == static_cast<unsigned>(Record::thread) << 2) {
      thread_ = number - 1;
    } else if (first == static_cast<unsigned>(Record::jump) << 2) {
      tick_ += unzig(number);
    } else if (record == Record::event && (first & 3) == 0) {
      const std::uint64_t length = take_var(at, end_);
      damaged_ = length > static_cast<std::size_t>(end_ - at);
      if (damaged_) return;
      tick_ += unzig(number);
      body_ = {at, length};
      have_ = true;
      return;
    } else {
      damaged_ = true;
      return;
    }
    at_ = at;
  }

  const std::byte* bytes_ = nullptr;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::uint64_t tick_ = 0;
  base::Id owner_ = base::kNoId;
  base::Id thread_ = base::kNoId;
  base::Bytes body_{};
  bool have_ = false;
  bool damaged_ = false;
};

}  // namespace polytrace::format::native
