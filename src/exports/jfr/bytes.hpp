// SPDX-License-Identifier: Apache-2.0
// Values as JFR writes them: big-endian in headers, elsewhere integers of at most nine bytes, seven
// bits each but for the ninth, which has eight. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::exports::jfr {

// Bytes that grow, for code that writes a few at a time.
class Bytes {
 public:
  // Room for `most` bytes; tell how far they were used with take().
  char* room(std::size_t most) {
    if (capacity_ - size_ < most) [[unlikely]]
      grow(most);
    return data_.get() + size_;
  }
  void take(const char* end) { size_ = static_cast<std::size_t>(end - data_.get()); }

  static char* put(char* at, std::uint64_t value) {
    for (int i = 0; i < 8 && value >= 0x80; ++i) {
      *at++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *at++ = static_cast<char>(value);
    return at;
  }
  void number(std::uint64_t value) { take(put(room(9), value)); }
  void number(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void byte(std::uint8_t value) {
    char* at = room(1);
    *at = static_cast<char>(value);
    take(at + 1);
  }
  void real(double value);
  void big_endian(std::uint64_t value, int bytes);
  // Not UTF-8: repaired.
  void text(std::string_view text);
  void append(std::string_view bytes);

  // An event's size stands before it, in four bytes: begin() leaves room for it.
  std::size_t begin(std::uint64_t type) {
    const std::size_t start = size_;
    take(room(4) + 4);
    number(type);
    return start;
  }
  void end(std::size_t start);

  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_.get(), size_}; }
  void clear() { size_ = 0; }

 private:
  void grow(std::size_t most);

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace polytrace::exports::jfr
