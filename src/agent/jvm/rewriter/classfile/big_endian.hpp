// SPDX-License-Identifier: Apache-2.0
// Reading and writing the class file's big-endian numbers. Input is bounds-checked and sticky: past
// its end it gives zero and is no longer ok(). It views bytes it does not own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace polytrace::agent::jvm::rewriter {

using View = std::span<const std::uint8_t>;

inline std::uint16_t load_u2(View bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

inline std::uint32_t load_u4(View bytes, std::size_t at) {
  return std::uint32_t{load_u2(bytes, at)} << 16 | load_u2(bytes, at + 2);
}

inline std::string_view text_of(View bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Input {
 public:
  explicit Input(View bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  // Everything was read, and nothing past the end.
  bool done() const { return ok_ && at_ == bytes_.size(); }
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

  std::uint8_t u1() { return room(1) ? bytes_[at_ - 1] : std::uint8_t{0}; }
  std::uint16_t u2() { return room(2) ? load_u2(bytes_, at_ - 2) : std::uint16_t{0}; }
  std::uint32_t u4() { return room(4) ? load_u4(bytes_, at_ - 4) : 0; }
  View take(std::size_t size) { return room(size) ? bytes_.subspan(at_ - size, size) : View{}; }
  // What was read since `from`, an earlier at().
  View since(std::size_t from) const { return bytes_.subspan(from, at_ - from); }

 private:
  bool room(std::size_t size) {
    if (left() < size) ok_ = false;
    at_ = ok_ ? at_ + size : bytes_.size();
    return ok_;
  }

  View bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

class Output {
 public:
  std::size_t size() const { return bytes_.size(); }
  View view() const { return bytes_; }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  void clear() { bytes_.clear(); }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

  void u1(std::size_t value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }
  void u2(std::size_t value) {
    u1(value >> 8);
    u1(value);
  }
  void u4(std::size_t value) {
    u2(value >> 16);
    u2(value);
  }
  void append(View bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void append(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  // Later, into room left before. REQUIRES: within size().
  void put_u2(std::size_t at, std::size_t value) {
    bytes_[at] = static_cast<std::uint8_t>(value >> 8);
    bytes_[at + 1] = static_cast<std::uint8_t>(value);
  }
  void put_u4(std::size_t at, std::size_t value) {
    put_u2(at, value >> 16);
    put_u2(at + 2, value);
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace polytrace::agent::jvm::rewriter
