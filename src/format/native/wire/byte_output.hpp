// SPDX-License-Identifier: Apache-2.0
// Writes the primitives of the format (docs/formats/native.md, section 1) into memory that the
// caller gave and keeps. What finds no room is not written, and that is remembered: whoever writes
// several parts asks ok() once. Needs no library; one thread at a time.
#pragma once

#include <bit>
#include <cstring>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::format::native {

// A signed difference as a small unsigned number.
constexpr std::uint64_t zig(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t unzig(std::uint64_t number) {
  return number >> 1 ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0);
}

inline constexpr std::size_t kMostVar = 10;

constexpr std::size_t var_bytes(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}
// REQUIRES: kMostVar bytes of room. Gives the end.
inline std::byte* put_var(std::byte* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::byte>(value | 0x80);
  *at++ = static_cast<std::byte>(value);
  return at;
}

// Moves behind the number. What is cut off or longer than 64 bits gives what there is of it.
inline std::uint64_t take_var(const std::byte*& at, const std::byte* end) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(*at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

class ByteOutput {
 public:
  ByteOutput() = default;
  ByteOutput(std::byte* begin, std::size_t size) : begin_(begin), at_(begin), end_(begin + size) {}

  std::byte* begin() const { return begin_; }
  std::byte* at() const { return at_; }
  std::byte* end() const { return end_; }
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  base::Bytes view() const { return {begin_, size()}; }
  // For who checked the room himself. REQUIRES: begin() <= at <= end().
  void move_to(std::byte* at) { at_ = at; }

  bool ok() const { return ok_; }

  void var(std::uint64_t value) {
    if (has(var_bytes(value))) at_ = put_var(at_, value);
  }
  void zig_zag(std::uint64_t difference) { var(zig(difference)); }
  void id(base::Id id) { var(id + 1); }
  void text(std::string_view text) {
    var(text.size());
    raw(text.data(), text.size());
  }
  template <class T>
  void fixed(const T& value) {
    raw(&value, sizeof value);
  }
  void bytes(base::Bytes bytes) { raw(bytes.data(), bytes.size()); }

 private:
  bool has(std::size_t size) { return ok_ = ok_ && left() >= size; }
  void raw(const void* from, std::size_t size) {
    if (!has(size) || size == 0) return;
    std::memcpy(at_, from, size);
    at_ += size;
  }

  std::byte* begin_ = nullptr;
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;
  bool ok_ = true;
};

}  // namespace polytrace::format::native
