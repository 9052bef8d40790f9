// SPDX-License-Identifier: Apache-2.0
// What the runtime offers, and its strings as C++ has them.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/mono/abi/mono.hpp"

namespace polytrace::agent::mono {

// A string that the runtime allocated; may be null.
class RuntimeText {
 public:
  explicit RuntimeText(char* text) : text_(text) {}
  ~RuntimeText() { mono_free(text_); }
  RuntimeText(const RuntimeText&) = delete;
  RuntimeText& operator=(const RuntimeText&) = delete;

  std::string_view view() const { return text_ == nullptr ? std::string_view() : text_; }

 private:
  char* text_;
};

inline std::string_view or_empty(const char* text) {
  return text == nullptr ? std::string_view() : text;
}

// Addresses are numbers in events.
inline std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace polytrace::agent::mono
