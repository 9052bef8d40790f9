// SPDX-License-Identifier: Apache-2.0
#include "history/run_view.hpp"

#include "history/run_writer.hpp"

namespace polytrace::history {
namespace {

// A varint; false when it runs past the end or is longer than 10 bytes.
bool take(const std::byte*& at, const std::byte* end, std::uint64_t& value) {
  constexpr unsigned kMostShift = 63;
  if (end - at >= static_cast<std::ptrdiff_t>(sizeof(std::uint64_t))) [[likely]] {
    const base::Leb number = base::load_leb(at);
    value = number.value;
    at += number.bytes;
    if (number.bytes != 0) [[likely]]
      return true;
  }
  value = 0;
  for (unsigned shift = 0; at < end && shift <= kMostShift; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(*at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// The first `count` bits of a bitmap.
std::array<std::uint64_t, 2> load_mask(const std::byte* at, std::uint32_t count) {
  std::array<std::uint64_t, 2> mask{base::load_le<std::uint64_t>(at), 0};
  if (count > 64) mask[1] = base::load_le<std::uint64_t>(at + 8);
  if (count < 64) mask[0] &= ~(~std::uint64_t{0} << count);
  if (count > 64 && count < 128) mask[1] &= ~(~std::uint64_t{0} << (count - 64));
  return mask;
}

}  // namespace

bool BlockView::take_masks(const std::byte*& at, const std::byte* end, unsigned presence) {
  all_values_ = presence == 0;
  if (presence == 0) return true;
  absent_ = {};
  if (presence == 1) return missing_ = {~std::uint64_t{0}, ~std::uint64_t{0}}, true;
  const std::uint64_t bytes = packed_bytes(count_, 1);
  if (static_cast<std::uint64_t>(end - at) < bytes * (presence - 1)) return false;
  if (presence == 3) {
    absent_ = load_mask(at, count_);
    at += bytes;
  }
  missing_ = load_mask(at, count_);
  at += bytes;
  missing_[0] |= absent_[0];
  missing_[1] |= absent_[1];
  return true;
}

bool BlockView::open(const std::byte* at, const std::byte* end, std::uint32_t count, Tick first,
                     TypeCode code) {
  constexpr std::size_t kHead = 5;
  if (static_cast<std::size_t>(end - at) < kHead) return false;
  time_bits_ = static_cast<unsigned>(at[0]);
  value_bits_ = static_cast<unsigned>(at[1]);
  const auto kind = static_cast<unsigned>(at[2]);
  at += 3;
  std::uint64_t offset = 0;
  std::uint64_t least = 0;
  if (!take(at, end, offset) || !take(at, end, least)) return false;
  count_ = count;
  code_ = code;
  scale_ = kind >> 2;
  first_time_ = tick_after(first, offset);
  if (time_bits_ > kMostBits || value_bits_ > kMostBits || scale_ > kMostScale) return false;
  if (first_time_ < first || (scale_ != 0 && code != code_of(Type::real))) return false;
  const bool is_signed = is_signed_class(code) || scale_ != 0;
  least_ = is_signed ? static_cast<std::uint64_t>(unzigzag(least)) : least;
  if (!take_masks(at, end, kind & 3)) return false;
  const std::uint32_t values = all_values_ ? count : values_before(count);
  const std::uint64_t time_bytes = packed_bytes(count - 1, time_bits_);
  const std::uint64_t code_bytes = code == kAnyCode ? values : 0;
  times_ = at;
  codes_ = at + time_bytes;
  values_ = codes_ + code_bytes;
  return static_cast<std::uint64_t>(end - at) >=
         time_bytes + code_bytes + packed_bytes(values, value_bits_);
}

std::uint32_t BlockView::values_before(std::uint32_t i) const {
  if (all_values_) return i;
  if (i < 64) return i - ones(missing_[0] & ~(~std::uint64_t{0} << i));
  const std::uint64_t high = i >= 128 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << (i - 64));
  return i - ones(missing_[0]) - ones(missing_[1] & high);
}

BlockView::Found BlockView::find(Tick t, std::uint32_t from, Tick time) const {
  constexpr unsigned kOneLoad = kMostBits - 7;
  std::uint32_t i = from;
  if (time_bits_ != 0 && time_bits_ <= kOneLoad) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (kMostBits - time_bits_);
    std::uint64_t bit = std::uint64_t{from} * time_bits_;
    for (; i + 1 < count_; ++i, bit += time_bits_) {
      const std::uint64_t step = base::load_le<std::uint64_t>(times_ + bit / 8) >> (bit % 8) & mask;
      const Tick next = tick_after(time, step);
      if (next > t) return {i, time, next, true};
      time = next;
    }
  }
  for (; i + 1 < count_; ++i) {
    const Tick next = time_after(time, i);
    if (next > t) return {i, time, next, true};
    time = next;
  }
  return {count_ - 1, time, 0, false};
}

State BlockView::state(std::uint32_t i, Tick time) const {
  if (!all_values_ && is_set(missing_, i))
    return {time, 0, is_set(absent_, i) ? kAbsentTag : kNullTag};
  const std::uint32_t place = values_before(i);
  std::uint64_t payload = least_ + bits_at(values_, place, value_bits_);
  if (scale_ != 0) {
    const auto whole = static_cast<double>(static_cast<std::int64_t>(payload));
    payload = std::bit_cast<std::uint64_t>(whole / kScales[scale_]);
  }
  const TypeCode code = code_ == kAnyCode ? static_cast<TypeCode>(codes_[place]) : code_;
  return {time, payload, tag_of(code & kMostCode)};
}

bool RunView::open(const Place& place) {
  place_ = place;
  const std::byte* at = place.at;
  std::uint64_t count = 0;
  if (!take(at, place.end, count) || count == 0 || count > UINT32_MAX) return false;
  body_ = at;
  count_ = static_cast<std::uint32_t>(count);
  blocks_ = static_cast<std::uint32_t>((count + place.block - 1) / place.block);
  return blocks_ == 1 || static_cast<std::uint64_t>(place.end - at) / kSkipSize >= blocks_;
}

bool RunView::open_block(std::uint32_t number, BlockView& block) const {
  if (blocks_ == 1) return block.open(body_, place_.end, count_, place_.first, place_.code);
  const std::byte* const skip = body_ + std::size_t{number} * kSkipSize;
  const auto offset = base::load_le<std::uint32_t>(skip + sizeof(Tick));
  if (offset > static_cast<std::uint64_t>(place_.end - body_)) return false;
  const std::uint32_t count = number + 1 < blocks_ ? place_.block : count_ - number * place_.block;
  return block.open(body_ + offset, place_.end, count, place_.first, place_.code) &&
         block.first_time() == base::load_le<Tick>(skip);
}

std::uint32_t RunView::block_of(Tick t) const {
  std::uint32_t low = 0;
  std::uint32_t high = blocks_ - 1;
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (block_start(middle) <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

}  // namespace polytrace::history
