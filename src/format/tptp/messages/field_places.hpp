// SPDX-License-Identifier: Apache-2.0
// Where the attributes of the hot messages stand, computed from the catalogue while compiling: as
// long as only numbers stand before it, an attribute has a fixed place.
#pragma once

#include <array>

#include "format/tptp/messages/catalogue.hpp"

namespace polytrace::format::tptp {

template <std::size_t count>
struct FieldPlaces {
  std::array<std::size_t, count> at{};  // from the payload's first byte; of fixed attributes
  std::size_t fixed = 0;                // bytes of the fixed attributes
  std::size_t texts = 0;                // attributes behind them, all texts
  std::size_t least = 0;                // bytes of the payload when all texts are empty
};

template <std::size_t count>
constexpr FieldPlaces<count> find_places(const std::array<Type, count>& types) {
  FieldPlaces<count> places;
  for (std::size_t i = 0; i < count; ++i) {
    places.at[i] = places.least;
    places.least += least_bytes(types[i]);
    if (types[i] == Type::str) ++places.texts;
    else places.fixed = places.least;
  }
  return places;
}

namespace field_types {
#define ATTRIBUTE(type, ...) Type::type,
#define MESSAGE(Name, id, element, title, ...) inline constexpr std::array k##Name{__VA_ARGS__};
#include "format/tptp/messages/catalogue.def"
#undef MESSAGE
#undef ATTRIBUTE
}  // namespace field_types

inline constexpr auto kEntryPlaces = find_places(field_types::kMethodEntry);
inline constexpr auto kExitPlaces = find_places(field_types::kMethodExit);
static_assert(kEntryPlaces.fixed + kEntryPlaces.texts == kEntryPlaces.least);
static_assert(kExitPlaces.fixed + kExitPlaces.texts == kExitPlaces.least);

}  // namespace polytrace::format::tptp
