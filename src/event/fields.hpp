// SPDX-License-Identifier: Apache-2.0
// Walks over the fields of the catalogue that need nothing but the structs: also for code inside
// other programs, which has no batches.
#pragma once

#include <bit>
#include <type_traits>

#include "event/details.hpp"

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
#define FIELD(type, name, ...) visitor.template field<Tag::k##type>(#name, details.name);
#define KIND(Type, text, subject, role, meaning, ...)        \
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
#define KIND(Type, ...) \
  case Kind::Type: return function(Type{});
#include "event/kinds.def"
#undef KIND
  }
  __builtin_unreachable();
}

}  // namespace polytrace::event
