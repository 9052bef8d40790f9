// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "event/details.hpp"

namespace polytrace::event {
namespace {

constexpr std::array kKinds{
#define KIND(Type, text, subject, ...) KindInfo{Kind::Type, #text, #subject},
#include "event/kinds.def"
#undef KIND
};

static_assert(std::ranges::all_of(kKinds, [](const KindInfo& info) {
  return is_call(info.kind) == (role_of(info.kind) == Role::call);
}));

// The units of plain numbers: bytes; how many; a number that names something; bits that say
// something each; what a runtime answers; a place in a source file, from 1; what its counter
// counts.
constexpr std::string_view kUnits[]{"bytes", "count", "number", "bits",
                                    "code",  "line",  "column", "counted"};

constexpr bool has_right_unit(Tag tag, std::string_view unit) {
  switch (tag) {
    case Tag::ku8:
    case Tag::ku32:
    case Tag::ku64:
    case Tag::ki64:
    case Tag::kf64:
    case Tag::kOptional32: return std::ranges::find(kUnits, unit) != std::end(kUnits);
    default: return unit.empty();
  }
}

#define FIELD(type, name, meaning, ...)                                            \
  static_assert(has_right_unit(Tag::k##type, #__VA_ARGS__), "the unit of " #name); \
  static_assert(sizeof meaning > 1, "the meaning of " #name);
#define KIND(Type, text, subject, role, meaning, ...) __VA_ARGS__
#include "event/kinds.def"
#undef KIND
#undef FIELD

}  // namespace

#define VALUE(name) #name,
#define ENUM(Type, ...)                                    \
  std::span<const std::string_view> names(Type) {          \
    static constexpr std::string_view kAll[]{__VA_ARGS__}; \
    return kAll;                                           \
  }
#include "event/enums.def"
#undef ENUM
#undef VALUE

const KindInfo& describe(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const KindInfo* find_kind(std::string_view name) {
  for (const KindInfo& info : kKinds) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace polytrace::event
