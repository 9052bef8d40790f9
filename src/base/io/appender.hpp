// SPDX-License-Identifier: Apache-2.0
// Appends primitive values to a growing byte vector: the writers' counterpart of Cursor.
// Owns its bytes. One thread at a time.
#pragma once

#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/raw_array.hpp"
#include "base/types.hpp"

namespace polytrace::base {

class Appender {
 public:
  std::size_t size() const { return bytes_.size(); }
  Bytes view() const { return {bytes_.data(), bytes_.size()}; }
  void clear() { bytes_.clear(); }
  // Drops everything behind `size`. REQUIRES: size <= size().
  void shrink(std::size_t size) { bytes_.cut(size); }

  template <class T>
  void fixed(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    raw(&value, sizeof value);
  }
  void byte(std::uint8_t value) { bytes_.push(static_cast<std::byte>(value)); }
  void uleb(std::uint64_t value);
  void sleb(std::int64_t value);
  void bytes(Bytes bytes) { raw(bytes.data(), bytes.size()); }
  void text(std::string_view text) { raw(text.data(), text.size()); }
  // Bytes up to the first 0 of `text`, then one 0.
  void zero_terminated(std::string_view text);
  // `size` bytes behind the end, to be written by the caller at once.
  std::byte* extend(std::size_t size) {
    std::byte* const at = bytes_.room(size);
    bytes_.grew_to(at + size);
    return at;
  }

 private:
  static constexpr std::size_t kMostLeb = 10;

  void raw(const void* from, std::size_t size) {
    if (size != 0) std::memcpy(extend(size), from, size);
  }
  RawArray<std::byte> bytes_;
};

inline void Appender::uleb(std::uint64_t value) {
  std::byte* at = bytes_.room(kMostLeb);
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::byte>(value | 0x80);
  *at++ = static_cast<std::byte>(value);
  bytes_.grew_to(at);
}

inline void Appender::sleb(std::int64_t value) {
  std::byte* at = bytes_.room(kMostLeb);
  for (; value < -64 || value > 63; value >>= 7)
    *at++ = static_cast<std::byte>(static_cast<std::uint64_t>(value) | 0x80);
  *at++ = static_cast<std::byte>(value & 0x7f);
  bytes_.grew_to(at);
}

inline void Appender::zero_terminated(std::string_view value) {
  text(value.substr(0, value.find('\0')));
  byte(0);
}

}  // namespace polytrace::base
