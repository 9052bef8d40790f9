// SPDX-License-Identifier: Apache-2.0
// What an event of the runtime carries.
#pragma once

#include <cstdint>
#include <cstring>

namespace polytrace::agent::coreclr {

// The fields of an event, in their order; what is not there is 0.
class Payload {
 public:
  Payload(const std::uint8_t* bytes, std::uint32_t size) : bytes_(bytes), left_(size) {}

  template <class T>
  T take() {
    T value{};
    if (left_ < sizeof value) return left_ = 0, value;
    std::memcpy(&value, bytes_, sizeof value);
    bytes_ += sizeof value;
    left_ -= static_cast<std::uint32_t>(sizeof value);
    return value;
  }
  void skip_text() {
    while (left_ != 0 && take<char16_t>() != 0) {
    }
  }

 private:
  const std::uint8_t* bytes_;
  std::uint32_t left_;
};

}  // namespace polytrace::agent::coreclr
