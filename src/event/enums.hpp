// SPDX-License-Identifier: Apache-2.0
// The enumerations of enums.def and their names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace polytrace::event {

#define VALUE(name) name,
#define ENUM(Type, ...) enum class Type : std::uint8_t { __VA_ARGS__ };
#include "event/enums.def"
#undef ENUM
#undef VALUE

// names(E{}) gives the names of all values of E in order; a value is valid when its number is
// smaller than names(E{}).size().
#define ENUM(Type, ...) std::span<const std::string_view> names(Type);
#include "event/enums.def"
#undef ENUM

template <class E>
std::string_view name(E value) {
  return names(value)[static_cast<std::size_t>(value)];
}

}  // namespace polytrace::event
