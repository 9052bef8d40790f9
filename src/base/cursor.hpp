// SPDX-License-Identifier: Apache-2.0
// The only type that touches raw input. Bounds-checked and sticky: the first fault is kept with
// its offset, later reads give zero, so record code is linear with one test per record.
// A cursor views bytes it does not own; it must not outlive them. One thread at a time.
#pragma once

#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

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
    unsigned bits;
  };
  Raw leb();

  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  std::uint64_t origin_;
  std::uint64_t fault_offset_ = 0;
  std::optional<Code> fault_;
};

inline Cursor::Raw Cursor::leb() {
  constexpr unsigned kMaxBytes = 10;
  std::uint64_t value = 0;
  const std::byte* at = at_;
  for (unsigned i = 0; i < kMaxBytes; ++i) {
    if (at == end_) return fault(Code::field_past_end), Raw{0, 64};
    const auto group = static_cast<std::uint64_t>(*at++);
    value |= (group & 0x7f) << (7 * i);
    if (group < 0x80) {
      at_ = at;
      return {value, 7 * (i + 1)};
    }
  }
  return fault(Code::number_too_long), Raw{0, 64};
}

inline std::uint64_t Cursor::uleb() { return leb().value; }

inline std::int64_t Cursor::sleb() {
  const Raw raw = leb();
  if (raw.bits >= 64) return static_cast<std::int64_t>(raw.value);
  const unsigned shift = 64 - raw.bits;
  return static_cast<std::int64_t>(raw.value << shift) >> shift;
}

inline std::string_view Cursor::zero_terminated() {
  const void* zero = done() ? nullptr : std::memchr(at_, 0, left());
  if (zero == nullptr) return fault(Code::field_past_end), std::string_view{};
  const auto* stop = static_cast<const std::byte*>(zero);
  std::string_view text(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(stop - at_));
  at_ = stop + 1;
  return text;
}

inline Bytes Cursor::bytes(std::size_t count) {
  if (left() < count) return fault(Code::field_past_end), Bytes{};
  Bytes taken(at_, count);
  at_ += count;
  return taken;
}

}  // namespace polytrace::base
