// SPDX-License-Identifier: Apache-2.0
// Recognises methodEntry and methodExit in the catalogue's own layout without texts: nine messages
// in ten, for which there are direct ways.
#pragma once

#include <algorithm>
#include <array>

#include "format/tptp/messages/byte_order.hpp"
#include "format/tptp/messages/catalogue.hpp"
#include "format/tptp/tbf/stream_state.hpp"

namespace polytrace::format::tptp {

// Where the attributes of these messages stand, computed from the catalogue while compiling: as
// long as only numbers stand before it, an attribute has a fixed place.
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

inline constexpr std::size_t kEntryBytes = kMessageHeaderBytes + kEntryPlaces.least;
inline constexpr std::size_t kExitBytes = kMessageHeaderBytes + kExitPlaces.least;
inline constexpr std::size_t kCallBytes = std::max(kEntryBytes, kExitBytes);

enum class PlainCall : std::uint8_t { none, entry, exit };

// Whether plain_call() says the truth in this state of a stream.
inline bool allows_plain_calls(const StreamState& state) {
  return state.sizes == Sizes::inclusive && state.times.is_plain() && state.told_clock &&
         state.had_data;
}

template <ByteOrder order>
constexpr std::uint64_t header_of(std::uint16_t id, std::size_t bytes) {
  return order == ByteOrder::little ? id | std::uint64_t{bytes} << 16
                                    : std::uint64_t{id} << 48 | std::uint64_t{bytes} << 16;
}

template <const auto& places>
bool ends_in_zeros(const std::byte* payload) {
  std::byte all{};
  for (std::size_t i = places.fixed; i < places.least; ++i) all |= payload[i];
  return all == std::byte{0};
}

// What message begins at `at`. REQUIRES: kCallBytes can be read there.
template <ByteOrder order>
PlainCall plain_call(const std::byte* at) {
  constexpr std::uint64_t kHeader =
      order == ByteOrder::little ? ~std::uint64_t{0} >> 16 : ~std::uint64_t{0} << 16;
  const std::uint64_t header = load_as<std::uint64_t, order>(at) & kHeader;
  const std::byte* payload = at + kMessageHeaderBytes;
  if (header == header_of<order>(field::MethodEntry::kId, kEntryBytes))
    return ends_in_zeros<kEntryPlaces>(payload) ? PlainCall::entry : PlainCall::none;
  if (header == header_of<order>(field::MethodExit::kId, kExitBytes))
    return ends_in_zeros<kExitPlaces>(payload) ? PlainCall::exit : PlainCall::none;
  return PlainCall::none;
}

}  // namespace polytrace::format::tptp
