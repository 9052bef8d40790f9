// SPDX-License-Identifier: Apache-2.0
#include "exports/jfr/bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text/utf8.hpp"

namespace polytrace::exports::jfr {

void Bytes::grow(std::size_t most) {
  const std::size_t larger = std::max(capacity_ * 2, size_ + most + 64 * 1024);
  auto to = std::make_unique_for_overwrite<char[]>(larger);
  if (size_ != 0) std::memcpy(to.get(), data_.get(), size_);
  data_ = std::move(to);
  capacity_ = larger;
}

void Bytes::big_endian(std::uint64_t value, int bytes) {
  char* at = room(8);
  for (int i = bytes - 1; i >= 0; --i) *at++ = static_cast<char>(value >> (8 * i));
  take(at);
}

void Bytes::real(double value) { big_endian(std::bit_cast<std::uint64_t>(value), 8); }

void Bytes::text(std::string_view text) {
  constexpr std::uint8_t kEmpty = 1, kUtf8 = 3;
  if (text.empty()) return byte(kEmpty);
  const std::string good = base::repaired(text);
  byte(kUtf8);
  number(good.size());
  append(good);
}

void Bytes::append(std::string_view bytes) {
  char* at = room(bytes.size());
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  take(at + bytes.size());
}

void Bytes::end(std::size_t start) {
  auto size = static_cast<std::uint32_t>(size_ - start);
  char* at = data_.get() + start;
  for (int i = 0; i < 3; ++i, size >>= 7) *at++ = static_cast<char>((size & 0x7f) | 0x80);
  *at = static_cast<char>(size & 0x7f);
}

}  // namespace polytrace::exports::jfr
