// SPDX-License-Identifier: Apache-2.0
// The stable numbers of the kinds: numbers.def. Pure; needs no library.
#pragma once

#include <array>

#include "event/details.hpp"

namespace polytrace::format::native {

inline constexpr std::size_t kNumbers = 256;
inline constexpr std::uint8_t kNoKind = 0xff;

// By kind; 0 for a kind that has none.
inline constexpr auto kNumberOfKind = [] {
  std::array<std::uint8_t, event::kKindCount> numbers{};
#define NUMBER(number, Type) numbers[static_cast<std::size_t>(event::Kind::Type)] = number;
#include "format/native/wire/numbers.def"
#undef NUMBER
  return numbers;
}();

// By number; kNoKind for a number without a kind.
inline constexpr auto kKindOfNumber = [] {
  std::array<std::uint8_t, kNumbers> kinds{};
  kinds.fill(kNoKind);
#define NUMBER(number, Type) kinds[number] = static_cast<std::uint8_t>(event::Kind::Type);
#include "format/native/wire/numbers.def"
#undef NUMBER
  return kinds;
}();

static_assert(
    [] {
      for (std::size_t kind = 0; kind < event::kKindCount; ++kind) {
        const std::uint8_t number = kNumberOfKind[kind];
        if (number == 0 || kKindOfNumber[number] != kind) return false;
      }
      return true;
    }(),
    "every kind has a number of its own in numbers.def");

constexpr std::uint8_t number_of(event::Kind kind) {
  return kNumberOfKind[static_cast<std::size_t>(kind)];
}

}  // namespace polytrace::format::native
