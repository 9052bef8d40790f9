// SPDX-License-Identifier: Apache-2.0
// Appends the records of one block (docs/formats/native.md, section 4) to memory that the caller
// gave and keeps. A record is written whole or not at all: then the function gives false, nothing
// has changed, and the caller closes the block and begins the next one. No allocation, no library;
// one thread at a time. The object takes 32 KiB: keep and reuse it.
#pragma once

#include <algorithm>

#include "base/io/digit_groups.hpp"
#include "format/native/wire/body.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::format::native {

class RecordEncoder {
 public:
  // Records that name a thread, in one block. Bounds what a reader must keep of it.
  static constexpr unsigned kMostThreads = 4096;

  // Begins the payload of a block. `first_tick` is that of the event that will be written first.
  void begin(std::byte* memory, std::size_t size, std::uint64_t first_tick, base::Id thread) {
    out_ = ByteOutput(memory, size);
    first_tick_ = tick_ = last_tick_ = first_tick;
    first_thread_ = thread_ = thread;
    method_ = 0;
    depth_ = 0;
    events_ = 0;
    threads_ = 0;
    earlier_ = false;
  }

  bool enter(std::uint64_t tick, base::Id method) {
    std::byte* const at = room_for(tick, kMostCall);
    if (at == nullptr) return false;
    finish_call(put_call(at, Call::enter, tick), method);
    push(method);
    return true;
  }
  bool leave(std::uint64_t tick, base::Id method) {
    std::byte* const at = room_for(tick, kMostCall);
    if (at == nullptr) return false;
    if (innermost_is(method)) finish(put_call(at, Call::leave_last, tick));
    else finish_call(put_call(at, Call::leave, tick), method);
    pop();
    return true;
  }
  bool unwind(std::uint64_t tick, base::Id method) {
    std::byte* const at = room_for(tick, kMostCall);
    if (at == nullptr) return false;
    if (innermost_is(method)) finish(put_timed(at, Record::unwind_last, tick));
    else finish_call(put_timed(at, Record::unwind, tick), method);
    pop();
    return true;
  }
  bool alloc(std::uint64_t tick, std::uint64_t site) {
    std::byte* const at = room_for(tick, kMostCall);
    if (at == nullptr) return false;
    finish(put_var(put_timed(at, Record::alloc, tick), site));
    return true;
  }
  bool alloc_array(std::uint64_t tick, std::uint64_t site, std::uint64_t length) {
    std::byte* const at = room_for(tick, kMostCall + kMostVar);
    if (at == nullptr) return false;
    finish(put_var(put_var(put_timed(at, Record::alloc_array, tick), site), length));
    return true;
  }
  // An event of any kind. `lists` as for encode_body().
  template <class T, class Lists = NoLists>
  bool event(std::uint64_t tick, base::Id subject, const T& details, const Lists& lists = {}) {
    if (out_.left() < kMostBefore) return false;
    ByteOutput body(out_.at() + kMostBefore, out_.left() - kMostBefore);
    encode_body(body, subject, details, lists);
    if (!body.ok()) return false;
    put_event(tick, body.view());
    follow(event::KindOf<T>::value, subject);
    return true;
  }
  // An event whose body is encoded already.
  bool body(std::uint64_t tick, base::Bytes body) {
    if (out_.left() < kMostBefore || out_.left() - kMostBefore < body.size()) return false;
    put_event(tick, body);
    follow_body(body);
    return true;
  }
  // The thread of what follows.
  bool thread(base::Id thread) {
    if (thread == thread_) return true;
    if (out_.left() < 1 + kMostVar || threads_ == kMostThreads) return false;
    out_.move_to(put_var(put_first(out_.at(), Record::thread), thread + 1));
    thread_ = thread;
    depth_ = 0;
    ++threads_;
    return true;
  }
  // Appends the call words (section 9) from `words` on, up to the first other one, to one that is
  // not written yet or to `end`, or as far as the room goes. Gives the end of what was appended:
  // `words` itself where the first one needs another function.
  // Both ways of spreading digits give the same.
  const std::uint64_t* calls(const std::uint64_t* words, const std::uint64_t* end,
                             std::uint64_t base_tick, base::DigitsBy by = base::fastest_digits());

  // Likewise the escape words of events with short bodies and of allocations at sites.
  const std::uint64_t* escapes(const std::uint64_t* words, const std::uint64_t* end,
                               std::uint64_t base_tick);

  base::Bytes payload() const { return out_.view(); }
  bool empty() const { return events_ == 0; }
  std::uint32_t events() const { return events_; }
  base::Id thread() const { return thread_; }
  std::uint64_t tick() const { return tick_; }
  // What these records decide in the header of their block. The rest is left alone.
  void describe(BlockHeader& header) const {
    header.length = static_cast<std::uint32_t>(out_.size());
    header.content = Content::events;
    header.flags = static_cast<std::uint8_t>((threads_ != 0 ? kManyThreads : 0) |
                                             (earlier_ ? kEarlierEvents : 0));
    header.events = events_;
    header.thread = first_thread_;
    header.first_tick = first_tick_;
    header.last_tick = last_tick_;
  }

 private:
  template <class Digits>
  const std::uint64_t* calls_by(const std::uint64_t* words, const std::uint64_t* end,
                                std::uint64_t base_tick);

  // Deeper frames are counted, and left by name.
  static constexpr std::size_t kFrames = 4095;
  static constexpr std::size_t kMostTimed = 1 + kMostVar;
  static constexpr std::size_t kMostCall = kMostTimed + kMostVar;
  static constexpr std::size_t kMostBefore = kMostTimed + kMostVar;  // a body
  // Of a word in calls(): differences of ticks that fit.
  static constexpr std::uint64_t kNearTicks = std::uint64_t{1} << 26;
  static constexpr std::size_t kMostWord = 8;
  // Of one in escapes(): words of a body.
  static constexpr std::size_t kShortBody = 16;

  static std::byte* put_first(std::byte* at, Record record) {
    *at = static_cast<std::byte>(static_cast<unsigned>(record) << 2);
    return at + 1;
  }
  // Room for a record that cannot go back in time, behind a jump where it must.
  std::byte* room_for(std::uint64_t tick, std::size_t most) {
    if (out_.left() < kMostTimed + most) return nullptr;
    std::byte* const at = out_.at();
    if (static_cast<std::int64_t>(tick - tick_) >= 0) return at;
    std::byte* const behind = put_var(put_first(at, Record::jump), zig(tick - tick_));
    move_tick(tick);
    return behind;
  }
  void move_tick(std::uint64_t tick) {
    tick_ = tick;
    if (static_cast<std::int64_t>(tick) > static_cast<std::int64_t>(last_tick_)) last_tick_ = tick;
    if (static_cast<std::int64_t>(tick) < static_cast<std::int64_t>(first_tick_)) earlier_ = true;
  }
  std::byte* put_timed(std::byte* at, Record record, std::uint64_t tick) {
    at = put_var(put_first(at, record), tick - tick_);
    move_tick(tick);
    return at;
  }
  // The first byte and a number below 2 * kNearTicks. REQUIRES: eight bytes of room.
  static std::byte* put_pair(std::byte* at, Record record, std::uint64_t number) {
    const std::size_t bytes = var_bytes(number);
    const std::uint64_t more = 0x80808080U & ((std::uint64_t{1} << (8 * (bytes - 1))) - 1);
    const std::uint64_t pair =
        static_cast<std::uint64_t>(record) << 2 | (base::ByShifts::spread(number) | more) << 8;
    std::memcpy(at, &pair, sizeof pair);
    return at + 1 + bytes;
  }
  std::byte* put_call(std::byte* at, Call form, std::uint64_t tick) {
    const std::uint64_t difference = tick - tick_;
    const std::uint64_t more = difference >> kCallTickBits;
    const auto low = static_cast<unsigned>(difference & kCallTickMask);
    *at++ =
        static_cast<std::byte>(static_cast<unsigned>(form) | low << 2 | (more != 0 ? 0x80U : 0U));
    if (more != 0) at = put_var(at, more);
    move_tick(tick);
    return at;
  }
  void put_event(std::uint64_t tick, base::Bytes body) {
    std::byte* at = put_var(put_first(out_.at(), Record::event), zig(tick - tick_));
    at = put_var(at, body.size());
    std::memmove(at, body.data(), body.size());
    move_tick(tick);
    finish(at + body.size());
  }
  void finish(std::byte* end) {
    out_.move_to(end);
    ++events_;
  }
  void finish_call(std::byte* at, base::Id method) {
    finish(put_var(at, zig(method - method_)));
    method_ = method;
  }

  void push(base::Id method) {
    if (depth_ < kFrames) frames_[depth_ + 1] = method;
    ++depth_;
  }
  void pop() {
    if (depth_ != 0) --depth_;
  }
  bool innermost_is(base::Id method) const {
    return depth_ != 0 && depth_ <= kFrames && frames_[depth_] == method;
  }
  // What a body does to the frames.
  void follow(event::Kind kind, base::Id method) {
    if (!event::is_call(kind)) return;
    if (method != base::kNoId) method_ = method;
    if (kind == event::Kind::Enter) push(method);
    else pop();
  }
  // A body of this number leaves the frames alone.
  static bool is_plain(std::uint64_t number) {
    return number < 0x80 && number != number_of(event::Kind::Enter) &&
           number != number_of(event::Kind::Leave) && number != number_of(event::Kind::Unwind);
  }
  void follow_body(base::Bytes body) {
    const std::byte* at = body.data();
    const std::byte* const end = at + body.size();
    const std::uint64_t number = take_var(at, end);
    const std::uint64_t subject = take_var(at, end);
    if (number >= kNumbers || kKindOfNumber[number] == kNoKind) return;
    follow(static_cast<event::Kind>(kKindOfNumber[number]), subject - 1);
  }
  ByteOutput out_;
  std::uint64_t first_tick_ = 0;
  std::uint64_t tick_ = 0;
  std::uint64_t last_tick_ = 0;
  base::Id first_thread_ = base::kNoId;
  base::Id thread_ = base::kNoId;
  base::Id method_ = 0;
  std::size_t depth_ = 0;
  std::uint32_t events_ = 0;
  unsigned threads_ = 0;
  bool earlier_ = false;
  // From 1 on; the one before is none that a word could name.
  base::Id frames_[kFrames + 1] = {base::kNoId};
};

// What follows from how long the numbers of a record in calls() are.
struct WordShape {
  std::uint64_t more = 0;   // the high bits of all bytes behind which the number goes on
  std::uint32_t shift = 0;  // of the method's number behind the tick's: in digits
  std::uint32_t bytes = 0;  // of the record
};
inline constexpr std::size_t kTickZeros = 38;  // above any difference below kNearTicks
// One look says it all: by zeros of the tick's difference, whether the method is not named, and
// zeros of its number. One table of 26 KiB, of which few lines are in use, took a tenth of the time
// less than one for each number and one for both.
inline constexpr std::size_t kShapesOfTick = 64;
inline constexpr auto kWordShapes = [] {
  std::array<WordShape, 26 * kShapesOfTick> shapes{};
  for (unsigned tick = 0; tick < 26; ++tick) {
    const unsigned ticks = (25 - tick + 2) / 7;  // bytes behind the first one
    for (unsigned at = 0; at < kShapesOfTick; ++at) {
      const unsigned method = at >= 32 ? 0 : (31 - at) / 7 + 1;
      WordShape& shape = shapes[tick * kShapesOfTick + at];
      for (unsigned i = 0; i < ticks; ++i) shape.more |= std::uint64_t{0x80} << (8 * i);
      for (unsigned i = 1; i < method; ++i) shape.more |= std::uint64_t{0x80} << (8 * (ticks + i));
      shape.shift = 7 * ticks;
      shape.bytes = 1 + ticks + method;
    }
  }
  return shapes;
}();

// Whether a word enters or leaves decides no branch, as nothing could guess it: every record is put
// together in one register and stored as eight bytes.
template <class Digits>
[[gnu::always_inline]] inline const std::uint64_t* RecordEncoder::calls_by(
    const std::uint64_t* words, const std::uint64_t* end, std::uint64_t base_tick) {
  const std::uint64_t* const begin = words;
  std::byte* at = out_.at();
  std::uint64_t ticks = tick_ - base_tick;
  auto method = static_cast<std::uint32_t>(method_);
  std::size_t depth = depth_;
  if (method_ > kMaxMethod || depth >= kFrames) return words;
  const std::size_t most = std::min({static_cast<std::size_t>(end - words), kFrames - depth,
                                     static_cast<std::size_t>(out_.end() - at) / kMostWord});
  for (const std::uint64_t* const last = words + most; words != last; ++words) {
    const std::uint64_t word = __atomic_load_n(words, __ATOMIC_ACQUIRE);
    const std::uint64_t difference = (word >> kTickShift) - ticks;
    const std::uint64_t kind = word & 3;
    if (kind - 1 > 1 || difference >= kNearTicks) break;
    const auto named = static_cast<std::uint32_t>(word >> kMethodShift & kMaxMethod);
    const std::size_t leaves = kind >> 1;
    const std::size_t last_left = leaves & static_cast<std::size_t>(frames_[depth] == named);
    frames_[depth + 1] = named;
    depth = static_cast<std::size_t>(
        std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(depth + 3 - 2 * kind), 0));
    const std::uint32_t keep = static_cast<std::uint32_t>(last_left) - 1;  // 0: it is not named
    const std::uint32_t step = (named - method) & keep;
    method += step;
    const std::uint32_t number = step << 1 ^ (0U - (step >> 31));
    const auto tick_zeros = static_cast<unsigned>(std::countl_zero(difference | 1)) - kTickZeros;
    const auto method_zeros = static_cast<unsigned>(std::countl_zero(number | 1));
    const WordShape& shape =
        kWordShapes[tick_zeros * kShapesOfTick + last_left * (kShapesOfTick / 2) + method_zeros];
    const std::uint64_t digits = difference >> kCallTickBits | static_cast<std::uint64_t>(number)
                                                                   << shape.shift;
    const std::uint64_t record = Digits::spread(digits) << 8 | (difference & kCallTickMask) << 2 |
                                 (kind + leaves - last_left) | shape.more;
    std::memcpy(at, &record, sizeof record);
    at += shape.bytes;
    ticks += difference;
  }
  out_.move_to(at);
  depth_ = depth;
  method_ = method;
  events_ += static_cast<std::uint32_t>(words - begin);
  if (words != begin) move_tick(base_tick + ticks);
  return words;
}

inline const std::uint64_t* RecordEncoder::calls(const std::uint64_t* words,
                                                 const std::uint64_t* end, std::uint64_t base_tick,
                                                 base::DigitsBy by) {
  return base::with_digits(by, [&](auto digits) __attribute__((always_inline)) {
    return calls_by<decltype(digits)>(words, end, base_tick);
  });
}

// A body is copied as it is, with its length, word by word: most have two or three.
inline const std::uint64_t* RecordEncoder::escapes(const std::uint64_t* words,
                                                   const std::uint64_t* end,
                                                   std::uint64_t base_tick) {
  constexpr std::uint64_t kType = escape_word(static_cast<Escape>(7), 0, 0);
  constexpr std::uint64_t kEvent = escape_word(Escape::event, 0, 0);
  constexpr std::uint64_t kSite = escape_word(Escape::alloc, 0, 0);
  constexpr std::size_t kMost = sizeof(std::uint64_t) * (1 + kShortBody);
  const std::uint64_t* const begin = words;
  std::byte* at = out_.at();
  std::uint64_t ticks = tick_ - base_tick;
  std::uint32_t events = 0;
  for (; words != end && static_cast<std::size_t>(out_.end() - at) >= kMost; ++events) {
    const std::uint64_t word = __atomic_load_n(words, __ATOMIC_ACQUIRE);
    const std::uint64_t difference = (word >> kTickShift) - ticks;
    const std::uint64_t argument = word >> kArgumentShift & kMaxArgument;
    if (difference >= kNearTicks) break;
    if ((word & kType) == kEvent) {
      if (argument - 1 >= kShortBody || argument >= static_cast<std::size_t>(end - words)) break;
      const std::uint64_t length = words[1] & 0xff;
      if (length - 2 >= 0x7e || length >= sizeof word * argument) break;
      if (!is_plain(words[1] >> 8 & 0xff)) break;
      at = put_pair(at, Record::event, difference << 1);
      std::memcpy(at, words + 1, sizeof word);
      for (std::uint64_t i = 1; i < argument; ++i)
        std::memcpy(at + sizeof word * i, words + 1 + i, sizeof word);
      at += 1 + length;
      words += 1 + argument;
    } else if ((word & kType) == kSite) {
      at = put_var(put_pair(at, Record::alloc, difference), argument);
      ++words;
    } else {
      break;
    }
    ticks += difference;
  }
  out_.move_to(at);
  events_ += events;
  if (words != begin) move_tick(base_tick + ticks);
  return words;
}

}  // namespace polytrace::format::native
