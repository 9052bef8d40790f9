// SPDX-License-Identifier: Apache-2.0
// Appends primitive values to a growing byte vector: the writers' counterpart of Cursor.
// Owns its bytes. One thread at a time.
#pragma once

#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/types.hpp"

namespace polytrace::base {

class Appender {
 public:
  std::size_t size() const { return bytes_.size(); }
  Bytes view() const { return bytes_; }
  void clear() { bytes_.clear(); }
  // Drops everything behind `size`. REQUIRES: size <= size().
  void shrink(std::size_t size) { bytes_.resize(size); }

  template <class T>
  void fixed(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    raw(&value, sizeof value);
  }
  void byte(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void uleb(std::uint64_t value);
  void sleb(std::int64_t value);
  void bytes(Bytes bytes) { raw(bytes.data(), bytes.size()); }
  void text(std::string_view text) { raw(text.data(), text.size()); }
  // Bytes up to the first 0 of `text`, then one 0.
  void zero_terminated(std::string_view text);

 private:
  void raw(const void* from, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  std::vector<std::byte> bytes_;
};

inline void Appender::uleb(std::uint64_t value) {
  while (value >= 0x80) {
    byte(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  byte(static_cast<std::uint8_t>(value));
}

inline void Appender::sleb(std::int64_t value) {
  while (value < -64 || value > 63) {
    byte(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) | 0x80));
    value >>= 7;
  }
  byte(static_cast<std::uint8_t>(value & 0x7f));
}

inline void Appender::zero_terminated(std::string_view value) {
  text(value.substr(0, value.find('\0')));
  byte(0);
}

}  // namespace polytrace::base
