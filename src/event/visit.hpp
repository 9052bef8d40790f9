// SPDX-License-Identifier: Apache-2.0
// Generic walks over the catalogue: what canonical text, random test data, comparison and copying
// are made of.
#pragma once

#include <bit>
#include <type_traits>

#include "event/batch.hpp"

namespace polytrace::event {

// Whether a field says anything, as writers and comparisons see it: an enumeration's first value
// says nothing.
template <Tag tag, class T>
bool is_told(const T& value) {
  if constexpr (std::is_enum_v<T>) return value != T{};
  else if constexpr (std::is_base_of_v<Range, T>) return value.present();
  else if constexpr (tag == Tag::kf64) return std::bit_cast<u64>(value) != 0;
  else return value != not_told<tag, T>();
}

// Calls visitor.template field<Tag::kText>("name", value) for each field of `details`, in order.
#define FIELD(type, name) visitor.template field<Tag::k##type>(#name, details.name);
#define KIND(Type, text, subject, ...)                       \
  template <class Visitor>                                   \
  void visit_fields(Visitor& visitor, Type& details) {       \
    __VA_ARGS__                                              \
  }                                                          \
  template <class Visitor>                                   \
  void visit_fields(Visitor& visitor, const Type& details) { \
    __VA_ARGS__                                              \
  }
#include "event/kinds.def"
#undef KIND
#undef FIELD

// Calls function(T{}) with the struct of `kind`.
template <class Function>
decltype(auto) with_kind(Kind kind, Function&& function) {
  switch (kind) {
#define KIND(Type, text, subject, ...) \
  case Kind::Type: return function(Type{});
#include "event/kinds.def"
#undef KIND
  }
  __builtin_unreachable();
}

// Calls function(details) with the event's details, default ones when it has none.
template <class Function>
void with_details(const Batch& batch, const Event& event, Function&& function) {
  with_kind(event.kind,
            [&](auto none) { function(batch.details_or<decltype(none)>(event, none)); });
}

}  // namespace polytrace::event
