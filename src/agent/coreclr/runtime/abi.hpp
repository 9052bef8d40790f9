// SPDX-License-Identifier: Apache-2.0
// The binary interface between CoreCLR and a profiler on Linux (docs/coreclr.md). An interface is a
// pointer to a pointer to a table of functions that take the interface first; which function stands
// where is data: info.def, metadata.def, callbacks.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace polytrace::agent::coreclr {

using RuntimeId = std::uintptr_t;  // of whatever the runtime gives an id
using HResult = std::int32_t;      // below 0: failed
using Bool = std::int32_t;

inline constexpr HResult kOk = 0;
inline constexpr HResult kFalse = 1;
inline constexpr HResult kNoInterface = static_cast<HResult>(0x80004002);
inline constexpr HResult kFailed = static_cast<HResult>(0x80004005);
inline constexpr HResult kNoClass = static_cast<HResult>(0x80040111);
inline constexpr HResult kNoAggregation = static_cast<HResult>(0x80040110);
inline constexpr HResult kCancelled = static_cast<HResult>(0x80131375);

struct Guid {
  std::uint32_t first;
  std::uint16_t second;
  std::uint16_t third;
  std::uint8_t rest[8];
  bool operator==(const Guid&) const = default;
};

// From "AABBCCDD-EEFF-GGHH-IIJJ-KKLLMMNNOOPP".
consteval Guid guid(const char* text) {
  const auto take = [&text](int digits) {
    std::uint64_t value = 0;
    for (; digits > 0; ++text) {
      if (*text == '-') continue;
      value =
          value << 4 | static_cast<std::uint64_t>(*text <= '9' ? *text - '0' : *text - 'A' + 10);
      --digits;
    }
    return value;
  };
  Guid made{};
  made.first = static_cast<std::uint32_t>(take(8));
  made.second = static_cast<std::uint16_t>(take(4));
  made.third = static_cast<std::uint16_t>(take(4));
  for (std::uint8_t& byte : made.rest) byte = static_cast<std::uint8_t>(take(2));
  return made;
}

// A function of an interface: where it stands, and what it takes.
template <unsigned kSlot, class... Args>
struct Method {};

template <unsigned kSlot, class... Args>
HResult call(void* interface, Method<kSlot, Args...>, std::type_identity_t<Args>... args) {
  using Function = HResult (*)(void*, Args...);
  const auto* table = *static_cast<void* const* const*>(interface);
  return reinterpret_cast<Function>(table[kSlot])(interface, args...);
}

// What every interface begins with.
inline constexpr Method<0, const Guid&, void**> kQueryInterface;
inline constexpr Method<2> kRelease;

// An interface that we hold, let go at the end; may be none.
class Held {
 public:
  Held() = default;
  ~Held() {
    if (interface_ != nullptr) call(interface_, kRelease);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  explicit operator bool() const { return interface_ != nullptr; }
  void* get() const { return interface_; }
  // For functions that give an interface.
  void** place() { return &interface_; }

 private:
  void* interface_ = nullptr;
};

}  // namespace polytrace::agent::coreclr
