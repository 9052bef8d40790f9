// SPDX-License-Identifier: Apache-2.0
#include "store/file/row_layout.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

namespace polytrace::store {
namespace {

using event::Tag;

template <Tag tag, class T>
constexpr ColumnType type_of() {
  if constexpr (event::is_text(tag)) return ColumnType::text;
  else if constexpr (tag == Tag::kStack) return ColumnType::path;
  else if constexpr (std::is_base_of_v<event::Range, T>) return ColumnType::list;
  else if constexpr (std::is_same_v<T, event::f64>) return ColumnType::real;
  else if constexpr (std::is_same_v<T, event::i64>) return ColumnType::integer;
  else return ColumnType::plain;
}

// Texts and paths are named by numbers of 32 bits at most, so all ones is none of them.
template <Tag tag, class T>
constexpr u64 none_of() {
  if constexpr (event::is_text(tag) || std::is_base_of_v<event::Range, T>) return ~u64{0};
  else if constexpr (std::is_enum_v<T> || std::is_same_v<T, event::f64>) return 0;
  else return static_cast<u64>(event::not_told<tag, T>());
}

template <class T>
u64 most_of() {
  if constexpr (std::is_enum_v<T>) return names(T{}).size() - 1;
  else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>)
    return std::numeric_limits<T>::max();
  else return ~u64{0};
}

template <Tag tag, class T>
FieldInfo info_of(std::string_view name) {
  return {name, tag, type_of<tag, T>(), none_of<tag, T>(), most_of<T>(), members_of<T>()};
}

}  // namespace

std::span<const FieldInfo> fields_of(event::Kind kind) {
  using namespace event;  // the types that rows of the table name
  switch (kind) {
#define FIELD(type, name, ...) info_of<Tag::k##type, type>(#name),
#define KIND(Type, text, subject, role, meaning, ...)                 \
  case Kind::Type: {                                                  \
    static const auto kAll = std::to_array<FieldInfo>({__VA_ARGS__}); \
    return kAll;                                                      \
  }
#include "event/kinds.def"
#undef KIND
#undef FIELD
  }
  __builtin_unreachable();
}

u16 field_number(event::Kind kind, std::string_view name) {
  const auto fields = fields_of(kind);
  const auto found = std::ranges::find(fields, name, &FieldInfo::name);
  return static_cast<u16>(found - fields.begin());
}

}  // namespace polytrace::store
