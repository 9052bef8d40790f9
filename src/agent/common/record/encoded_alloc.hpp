// SPDX-License-Identifier: Apache-2.0
// An allocation without stack as a body of the native stream (docs/formats/native.md, section 5),
// in a few nanoseconds: most events of a recording are such.
#pragma once

#include <array>
#include <bit>
#include <cstring>

#include "format/native/wire/byte_output.hpp"
#include "format/native/wire/numbers.hpp"

namespace polytrace::agent {

class EncodedAlloc {
 public:
  // REQUIRES: object < 2^56, size != 0.
  EncodedAlloc(base::Id type, std::uint64_t object, std::uint64_t size) {
    constexpr std::uint8_t kObjectAndSize = 0b11;  // the first two fields are told
    std::byte* const begin = bytes();
    std::byte* at = begin + 1;
    *at++ = std::byte{format::native::number_of(event::Kind::Alloc)};
    at = format::native::put_var(at, type + 1);
    *at++ = std::byte{kObjectAndSize};
    at = put_address(at, object);
    at = format::native::put_var(at, size);
    const auto used = static_cast<std::size_t>(at - begin);
    *begin = static_cast<std::byte>(used - 1);
    count_ = (used + 7) / 8;
  }

  const std::uint64_t* words() const { return words_.data(); }
  std::size_t count() const { return count_; }

 private:
  std::byte* bytes() { return reinterpret_cast<std::byte*>(words_.data()); }

  // As put_var(), but without a loop: seven bits to a byte, in halves of halves of halves.
  static std::byte* put_address(std::byte* at, std::uint64_t value) {
    const std::size_t size = format::native::var_bytes(value);
    value = (value & 0x0000'0000'0fff'ffff) | (value & 0x00ff'ffff'f000'0000) << 4;
    value = (value & 0x0000'3fff'0000'3fff) | (value & 0x0fff'c000'0fff'c000) << 2;
    value = (value & 0x007f'007f'007f'007f) | (value & 0x3f80'3f80'3f80'3f80) << 1;
    value |= 0x8080'8080'8080'8080U & ((std::uint64_t{1} << (8 * (size - 1))) - 1);
    std::memcpy(at, &value, sizeof value);
    return at + size;
  }

  std::size_t count_;
  std::array<std::uint64_t, 5> words_{};  // 8 bytes of an address are stored, then 10 of a size
};

}  // namespace polytrace::agent
