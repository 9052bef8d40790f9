// SPDX-License-Identifier: Apache-2.0
// What an event carries beyond time, thread and subject: one plain struct per kind, generated from
// kinds.def. Views (Text) and ranges (Stack, Refs ...) point into the Batch that holds the event
// and live as long as its content.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::event {

using base::Duration;
using base::Id;
using base::kNoId;
using base::kNoTime;
using base::Time;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using f64 = double;
// Texts, by whose they are; yes or no (event/kinds.def).
using Word = std::string_view;
using Text = std::string_view;
using Whole = std::string_view;
using Flag = u8;  // as a source has it: any number but 0 is yes

// The enumerations of enums.def.
#define VALUE(name) name,
#define ENUM(Type, ...) enum class Type : u8 { __VA_ARGS__ };
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

inline constexpr u32 kAbsent = ~u32{0};

// A range of one of the batch's list columns. Absent and empty differ: a recorder may have walked
// a stack and found nothing.
struct Range {
  u32 first = kAbsent;
  u32 count = 0;
  bool present() const { return first != kAbsent; }
};

// Method ids of a call stack, outermost caller first, innermost frame last (Batch::frames). With
// places, each frame also has a FramePlace.
struct Stack : Range {
  u32 places = kAbsent;  // first of `count` entries of Batch::places
};
struct FramePlace {
  i64 il = -1;      // IL or byte-code offset, -1 = not told
  i64 native = -1;  // native offset or line, by format
  u64 ip = 0;       // instruction pointer, 0 = not told
};
// Native instruction pointers at the top of a sample, outermost first (Batch::frames).
struct Natives : Range {};
// References of a heap object (Batch::refs).
struct Refs : Range {};
struct Ref {
  Id target = kNoId;
  u64 offset = 0;  // of the referring field inside the object
};
// IL offset to native range (Batch::il_map).
struct IlMap : Range {};
struct IlRange {
  u32 il = 0;
  u32 begin = 0;
  u32 end = 0;
};

// Id and u64 are one type to the compiler, so are Time, Duration and i64, and all texts. The tag of
// a field tells them apart: it decides the value that means "not told", the form in canonical text,
// what anonymize does.
enum class Tag : u8 {
  kId,
  kTime,
  kDuration,
  ku64,
  ki64,
  ku32,
  ku8,
  kf64,
  kOptional32,
  kFlag,
  kWord,
  kText,
  kWhole,
  kStack,
  kNatives,
  kRefs,
  kIlMap,
#define ENUM(Type, ...) k##Type,
#include "event/enums.def"
#undef ENUM
};

constexpr bool is_text(Tag tag) {
  return tag == Tag::kWord || tag == Tag::kText || tag == Tag::kWhole;
}

using Optional32 = u32;  // kAbsent = not told

template <Tag tag, class T>
constexpr T not_told() {
  if constexpr (tag == Tag::kId) return kNoId;
  else if constexpr (tag == Tag::kTime) return kNoTime;
  else if constexpr (tag == Tag::kOptional32) return kAbsent;
  else return T{};
}

#define FIELD(type, name, ...) type name = not_told<Tag::k##type, type>();
#define KIND(Type, text, subject, role, meaning, ...) \
  struct Type {                                       \
    __VA_ARGS__                                       \
  };
#include "event/kinds.def"
#undef KIND
#undef FIELD

// The kinds as numbers. Kind::Alloc's details are struct Alloc.
enum class Kind : u8 {
#define KIND(Type, ...) Type,
#include "event/kinds.def"
#undef KIND
};

inline constexpr std::size_t kKindCount = 0
#define KIND(Type, ...) +1
#include "event/kinds.def"
#undef KIND
    ;

template <class T>
struct KindOf;
#define KIND(Type, ...)                       \
  template <>                                 \
  struct KindOf<Type> {                       \
    static constexpr Kind value = Kind::Type; \
  };
#include "event/kinds.def"
#undef KIND

// What an event is to its trace (event/kinds.def).
enum class Role : u8 { heading, definition, call, moment };

inline constexpr Role kRoles[kKindCount]{
#define KIND(Type, text, subject, role, ...) Role::role,
#include "event/kinds.def"
#undef KIND
};

constexpr Role role_of(Kind kind) { return kRoles[static_cast<std::size_t>(kind)]; }

// Whether its role is call: Enter, Leave or Unwind, as one comparison for loops over events.
constexpr bool is_call(Kind kind) {
  constexpr auto first = static_cast<unsigned>(Kind::Enter);
  constexpr auto last = static_cast<unsigned>(Kind::Unwind);
  static_assert(last == first + 2 && static_cast<unsigned>(Kind::Leave) == first + 1);
  return static_cast<unsigned>(kind) - first <= last - first;
}

struct KindInfo {
  Kind kind;
  std::string_view name;     // in canonical text
  std::string_view subject;  // what Event::id names; "none" when nothing
};
const KindInfo& describe(Kind kind);
// Null when no kind has that name.
const KindInfo* find_kind(std::string_view name);

}  // namespace polytrace::event
