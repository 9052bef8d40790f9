// SPDX-License-Identifier: Apache-2.0
// The only type that touches raw input. Bounds-checked and sticky: the first fault is kept with
// its offset, later reads give zero, so record code is linear with one test per record.
// A cursor views bytes it does not own; it must not outlive them. One thread at a time.
#pragma once

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/codes.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::base {

// Reads a little-endian value; the caller has checked the bounds. All supported hosts are
// little-endian.
template <class T>
T load_le(const std::byte* from) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A LEB128 number of at most eight bytes; bytes = 0 for a longer one.
struct Leb {
  std::uint64_t value;
  unsigned bytes;
};

// Out of one load and, behind the first byte, without a branch on the length. REQUIRES: 8 bytes.
inline Leb load_leb(const std::byte* at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  const auto word = load_le<std::uint64_t>(at);
  if ((word & 0x80) == 0) return {word & 0x7f, 1};
  const std::uint64_t stops = ~word & kHighBits;
  if (stops == 0) [[unlikely]]
    return {0, 0};
  // The digits up to the stop, squeezed together pair by pair.
  std::uint64_t value = word & (stops ^ (stops - 1)) & ~kHighBits;
  value = (value & 0x007f007f007f007fU) | (value & 0x7f007f007f007f00U) >> 1;
  value = (value & 0x00003fff00003fffU) | (value & 0x3fff00003fff0000U) >> 2;
  value = (value & 0x000000000fffffffU) | (value & 0x0fffffff00000000U) >> 4;
  // By the compiler's name: std::countr_zero() would be asked about 0 once more.
  return {value, static_cast<unsigned>(__builtin_ctzll(stops)) / 8 + 1};
}

class Cursor {
 public:
  // `origin` is the stream offset of bytes[0]; faults are told in stream offsets.
  Cursor(Bytes bytes, std::uint64_t origin)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()), origin_(origin) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  bool done() const { return at_ == end_; }
  std::uint64_t offset() const { return origin_ + static_cast<std::uint64_t>(at_ - begin_); }
  const std::byte* at() const { return at_; }
  const std::byte* end() const { return end_; }
  // For hot loops that checked their bounds themselves. REQUIRES: at <= to <= end().
  void move_to(const std::byte* to) { at_ = to; }

  template <class T>
  T fixed() {
    if (left() < sizeof(T)) return fault(Code::field_past_end), T{};
    T value = load_le<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  std::uint8_t byte() { return fixed<std::uint8_t>(); }

  // LEB128, least significant group first, high bit set on every byte but the last. More than
  // 10 bytes is number_too_long; bits above 63 are dropped.
  std::uint64_t uleb();
  std::int64_t sleb();

  // Bytes up to the next 0, which is consumed and not part of the result.
  std::string_view zero_terminated();
  Bytes bytes(std::size_t count);

  // True when `count` items of at least `item_bytes` each can still follow. A fault otherwise:
  // test it before reserving memory for a count that came from the input.
  bool fits(std::uint64_t count, std::size_t item_bytes) {
    if (count <= left() / item_bytes) return true;
    return fault(Code::count_too_large), false;
  }

  bool ok() const { return !fault_; }
  Code fault_code() const { return *fault_; }
  std::uint64_t fault_offset() const { return fault_offset_; }
  // Keeps the first fault only and leaves nothing to read.
  void fault(Code code) {
    if (fault_) return;
    fault_ = code;
    fault_offset_ = offset();
    at_ = end_;
  }

 private:
  struct Raw {
    std::uint64_t value;
    unsigned above;  // bits of the value that the number has not told
  };
  Raw leb();
  Raw long_leb();  // of any length, and at the end

  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  std::uint64_t origin_;
  std::uint64_t fault_offset_ = 0;
  std::optional<Code> fault_;
};

[[gnu::always_inline]] inline Cursor::Raw Cursor::leb() {
  if (left() >= sizeof(std::uint64_t)) [[likely]] {
    const Leb number = load_leb(at_);
    if (number.bytes != 0) [[likely]] {
      at_ += number.bytes;
      return {number.value, 64 - number.bytes * 7};
    }
  }
  return long_leb();
}

inline std::uint64_t Cursor::uleb() { return leb().value; }

inline std::int64_t Cursor::sleb() {
  const Raw raw = leb();
  return static_cast<std::int64_t>(raw.value << raw.above) >> raw.above;
}

}  // namespace polytrace::base
