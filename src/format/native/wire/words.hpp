// SPDX-License-Identifier: Apache-2.0
// The words of a segment (docs/formats/native.md, section 9) as records of blocks. A segment that
// is still being filled is moved in several parts: keep the object, it knows how far it came. Used
// by the agents' writer threads, and by who reads a segment file. No library; one thread at a time,
// besides the one that fills the segment.
//
//   while (segment.ready()) {
//     encoder.begin(memory, size, segment.next_tick(), segment.owner());
//     const std::uint32_t before = segment.taken();
//     if (!segment.move_to(encoder)) ...    // not even one event fits into the memory
//     header.words_before = before, header.words_after = segment.taken();
//   }
#pragma once

#include "format/native/wire/record_encoder.hpp"

namespace polytrace::format::native {

class SegmentWords {
 public:
  SegmentWords() = default;
  // `count` words, aligned, behind a segment's header.
  SegmentWords(const std::uint64_t* words, std::uint32_t count, std::uint64_t base_tick,
               base::Id thread)
      : words_(words),
        end_(words + count),
        at_(words),
        base_tick_(base_tick),
        owner_(thread),
        thread_(thread) {}

  // The segment's thread: that of its blocks, whichever the first event is of.
  base::Id owner() const { return owner_; }

  // Words that were moved so far.
  std::uint32_t taken() const { return static_cast<std::uint32_t>(at_ - words_); }
  // The thread of the next event.
  base::Id thread() const { return thread_; }
  // A word that no recorder writes: nothing behind it can be read.
  bool damaged() const { return damaged_; }
  // Whether there is a further event. Passes over what only tells its thread.
  bool ready() {
    while (at_ != end_ && !damaged_) {
      const std::uint64_t word = load(at_);
      if (word == 0) return false;
      if (!is_thread(word)) return whole(word);
      if (!whole(word)) return false;
      thread_ = load(at_ + 1) & ~kFollows;
      at_ += 2;
    }
    return false;
  }
  // REQUIRES: ready().
  std::uint64_t next_tick() const { return tick_of(load(at_)); }

  // Appends what is there, as far as the block has room. False if that was nothing, though there is
  // an event.
  bool move_to(RecordEncoder& out) {
    const std::uint64_t* const begin = at_;
    while (ready() && out.thread(thread_)) {
      const std::uint64_t* const before = at_;
      at_ = out.escapes(out.calls(at_, end_, base_tick_), end_, base_tick_);
      if (at_ == before && !put(out, load(at_))) break;
    }
    return at_ != begin || !ready();
  }
  // Passes over the first words, which earlier blocks took.
  void skip_to(std::uint32_t taken) {
    while (this->taken() < taken && ready()) at_ += words_of(load(at_));
  }

 private:
  static std::uint64_t load(const std::uint64_t* from) {
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
  }
  static Word kind_of(std::uint64_t word) { return static_cast<Word>(word & 3); }
  static Escape escape_of(std::uint64_t word) {
    return static_cast<Escape>(word >> kEscapeShift & 7);
  }
  static std::uint64_t argument_of(std::uint64_t word) {
    return word >> kArgumentShift & kMaxArgument;
  }
  static bool is_thread(std::uint64_t word) {
    return kind_of(word) == Word::escape && escape_of(word) == Escape::thread;
  }
  // With the ones that follow it.
  static std::size_t words_of(std::uint64_t word) {
    if (kind_of(word) != Word::escape) return 1;
    switch (escape_of(word)) {
      case Escape::event: return 1 + argument_of(word);
      case Escape::alloc: return 1;
      default: return 2;
    }
  }
  std::uint64_t tick_of(std::uint64_t word) const { return base_tick_ + (word >> kTickShift); }

  // Whether the next word is one, and all that follow it are there.
  bool whole(std::uint64_t word) {
    damaged_ = kind_of(word) == Word::none;
    if (kind_of(word) != Word::escape) return !damaged_;
    const std::size_t words = words_of(word);
    damaged_ = escape_of(word) > Escape::unwind || static_cast<std::size_t>(end_ - at_) < words;
    if (!damaged_ && words == 2 && escape_of(word) != Escape::event)
      damaged_ = (load(at_ + 1) & kFollows) == 0;
    if (!damaged_ && escape_of(word) == Escape::event) damaged_ = body_of(word).empty();
    return !damaged_;
  }
  // Of an event; empty if its length is none.
  base::Bytes body_of(std::uint64_t word) const {
    const std::size_t bytes = argument_of(word) * sizeof word;
    const auto* const from = reinterpret_cast<const std::byte*>(at_ + 1);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes, 4); ++i) {
      length |= (static_cast<std::uint64_t>(from[i]) & 0x7f) << (7 * i);
      if ((from[i] & std::byte{0x80}) != std::byte{0}) continue;
      return length <= bytes - i - 1 ? base::Bytes(from + i + 1, length) : base::Bytes();
    }
    return {};
  }
  bool put(RecordEncoder& out, std::uint64_t word) {
    const std::uint64_t tick = tick_of(word);
    const std::uint64_t method = word >> kMethodShift & kMaxMethod;
    bool done = false;
    if (kind_of(word) == Word::enter) done = out.enter(tick, method);
    else if (kind_of(word) == Word::leave) done = out.leave(tick, method);
    else if (kind_of(word) == Word::escape) done = put_escape(out, word, tick);
    if (done) at_ += words_of(word);
    return done;
  }
  bool put_escape(RecordEncoder& out, std::uint64_t word, std::uint64_t tick) {
    switch (escape_of(word)) {
      case Escape::event: return out.body(tick, body_of(word));
      case Escape::alloc: return out.alloc(tick, argument_of(word));
      case Escape::alloc_array:
        return out.alloc_array(tick, argument_of(word), load(at_ + 1) & ~kFollows);
      case Escape::unwind: return out.unwind(tick, load(at_ + 1) & ~kFollows);
      case Escape::thread: break;
    }
    return true;
  }

  const std::uint64_t* words_ = nullptr;
  const std::uint64_t* end_ = nullptr;
  const std::uint64_t* at_ = nullptr;
  std::uint64_t base_tick_ = 0;
  base::Id owner_ = base::kNoId;
  base::Id thread_ = base::kNoId;
  bool damaged_ = false;
};

}  // namespace polytrace::format::native
