// SPDX-License-Identifier: Apache-2.0
// Reads runs (see run_writer.hpp) in place. Whatever the bytes, nothing outside of them is believed
// to be there: every length and width is tested when a run or block is opened. REQUIRES: kReadable
// bytes behind the end. All of it is inline: a full state opens every timeline's run.
#pragma once

#include <array>

#include "history/layout/state.hpp"
#include "history/read/times_view.hpp"

namespace polytrace::history {

// Up to kBlock changes of one timeline.
class BlockView {
 public:
  // False when the bytes are no block. Its first time counts from `base`.
  bool open(const std::byte* at, const std::byte* end, Tick base, TypeCode code);

  std::uint32_t count() const { return count_; }
  Tick first_time() const { return first_time_; }
  // Of all changes. False when the block is damaged.
  bool times(std::array<Tick, kBlock>& times) const;
  // Of the last change at or before `t`: its number, with its time and the next one's. REQUIRES:
  // first_time() <= t. False when the block is damaged.
  struct Found {
    std::uint32_t number;
    Tick time;
    Tick next;
    bool has_next;
  };
  bool find(Tick t, Found& found) const;
  State state(std::uint32_t i, Tick time) const;

 private:
  // A number of up to 8 bytes.
  static std::uint64_t take(const std::byte*& at, unsigned bytes) {
    const auto word = base::load_le<std::uint64_t>(at);
    at += bytes;
    return word & base::kByteMasks[bytes];
  }

  TimesView times_{};
  const std::byte* codes_ = nullptr;
  const std::byte* values_ = nullptr;
  Tick first_time_ = 0;
  std::uint64_t least_ = 0;
  std::uint32_t count_ = 0;
  unsigned value_bits_ = 0;
  unsigned special_ = 0;
  unsigned form_ = 0;
  Tag tag_ = 0;
};

inline bool BlockView::open(const std::byte* at, const std::byte* end, Tick base, TypeCode code) {
  if (end - at < static_cast<std::ptrdiff_t>(BlockHead::kBytes)) return false;
  const auto packed = base::load_le<std::uint64_t>(at);
  const BlockHead head = BlockHead::unpack(packed);
  at += BlockHead::kBytes;
  const std::uint64_t offset = take(at, head.first_bytes);
  const std::uint64_t least = take(at, head.least_bytes);
  const bool has_codes = head.form == kCodesForm;
  const bool scaled = head.form - 1 < kMostScale;
  // All at once: one branch that is never taken.
  const bool bad = ((packed & kSeveral) != 0) | (head.special > 2) |
                   (head.value_bits > base::kMostBits) | (head.form > kCodesForm) |
                   (head.high_bytes > BlockHead::kMostHighs) | ((code == kAnyCode) & !has_codes) |
                   (scaled & (code != code_of(Type::real)));
  if (bad) return false;
  count_ = head.count;
  value_bits_ = head.value_bits;
  special_ = head.special;
  form_ = head.form;
  tag_ = tag_of(code & kMostCode);
  first_time_ = base::tick_after(base, offset);
  const bool is_signed = scaled || is_signed_class(code);
  const std::uint64_t sign = is_signed ? ~std::uint64_t{0} : 0;
  least_ = least >> (sign & 1) ^ (sign & (~(least & 1) + 1));
  const std::byte* const highs = at;
  const std::byte* const lows = highs + head.high_bytes;
  codes_ = lows + base::packed_bytes(count_ - 1, head.low_bits);
  values_ = codes_ + (has_codes ? count_ : 0);
  times_ = TimesView(highs, head.high_bytes, lows, head.low_bits, count_ - 1);
  const auto size = base::packed_bytes(count_, value_bits_);
  return first_time_ >= base && end - values_ >= static_cast<std::ptrdiff_t>(size);
}

inline bool BlockView::times(std::array<Tick, kBlock>& times) const {
  std::array<std::uint64_t, kBlock> distances;
  if (!times_.all(distances)) return false;
  times[0] = first_time_;
  for (std::uint32_t i = 1; i < count_; ++i)
    times[i] = base::tick_after(first_time_, distances[i - 1]);
  return true;
}

inline bool BlockView::find(Tick t, Found& found) const {
  TimesView::Found place;
  if (!times_.find(base::ticks_between(first_time_, t), place)) return false;
  found = {place.number, base::tick_after(first_time_, place.last),
           base::tick_after(first_time_, place.next), place.number + 1 < count_};
  return true;
}

// Branches only where what comes is foreseeable.
inline State BlockView::state(std::uint32_t i, Tick time) const {
  const std::uint64_t raw = base::bits_at(values_, i, value_bits_);
  const std::uint64_t payload = least_ + (raw - special_);
  if (form_ == kCodesForm) [[unlikely]]
    return coded_state(time, payload, static_cast<unsigned>(codes_[i]));
  const auto whole = static_cast<double>(static_cast<std::int64_t>(payload));
  const auto scaled = std::bit_cast<std::uint64_t>(whole / kScales[form_]);
  const bool none = raw < special_;
  const std::uint64_t value = form_ == 0 ? payload : scaled;
  return {time, none ? 0 : value, none ? static_cast<Tag>(special_ - raw) : tag_};
}

// All changes of one timeline in a segment.
class RunView {
 public:
  // Where the run lies in its payload, and what its bytes mean.
  struct Place {
    const std::byte* at;
    const std::byte* end;  // of the payload
    Tick first;            // of the segment
    TypeCode code;
  };
  bool open(const Place& place);

  std::uint32_t blocks() const { return blocks_; }
  bool open_block(std::uint32_t number, BlockView& block) const;
  // Of the first change in a block. REQUIRES: more than one block.
  Tick block_start(std::uint32_t number) const {
    return base::load_le<Tick>(body_ + std::size_t{number} * kSkipSize);
  }
  // The number of the block that covers `t`; 0 before the first change.
  std::uint32_t block_of(Tick t) const;

 private:
  Place place_{};
  const std::byte* body_ = nullptr;  // the one block, or the skip entries
  std::uint32_t blocks_ = 0;
};

inline bool RunView::open(const Place& place) {
  place_ = place;
  body_ = place.at;
  blocks_ = 1;
  if (place.end - place.at < static_cast<std::ptrdiff_t>(kRunHead)) return false;
  const auto head = base::load_le<std::uint32_t>(place.at);
  if ((head & kSeveral) == 0) return true;
  blocks_ = head >> kSeveralShift;
  body_ += kRunHead;
  return blocks_ != 0 && static_cast<std::uint64_t>(place.end - body_) / kSkipSize >= blocks_;
}

inline bool RunView::open_block(std::uint32_t number, BlockView& block) const {
  if (body_ == place_.at) return block.open(body_, place_.end, place_.first, place_.code);
  const std::byte* const skip = body_ + std::size_t{number} * kSkipSize;
  const auto offset = base::load_le<std::uint32_t>(skip + sizeof(Tick));
  if (offset > static_cast<std::uint64_t>(place_.end - body_)) return false;
  const auto start = base::load_le<Tick>(skip);
  return start >= place_.first && block.open(body_ + offset, place_.end, start, place_.code) &&
         block.first_time() == start;
}

inline std::uint32_t RunView::block_of(Tick t) const {
  std::uint32_t low = 0;
  for (std::uint32_t size = blocks_; size > 1;) {
    const std::uint32_t half = size / 2;
    low += block_start(low + half) <= t ? half : 0;
    size -= half;
  }
  return low;
}

}  // namespace polytrace::history
