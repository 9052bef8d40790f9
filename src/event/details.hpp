// SPDX-License-Identifier: Apache-2.0
// What an event carries beyond time, thread and subject: one plain struct per kind, generated from
// kinds.def. Views (Text) and ranges (Stack, Refs ...) point into the Batch that holds the event
// and live as long as its content.
#pragma once

#include <string_view>

#include "base/types.hpp"
#include "event/enums.hpp"

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
using Text = std::string_view;

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

// Id and u64 are one type to the compiler, so are Time, Duration and i64. The tag of a field tells
// them apart: it decides the value that means "not told" and the form in canonical text.
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
  kText,
  kStack,
  kNatives,
  kRefs,
  kIlMap,
#define ENUM(Type, ...) k##Type,
#include "event/enums.def"
#undef ENUM
};

using Optional32 = u32;  // kAbsent = not told

template <Tag tag, class T>
constexpr T not_told() {
  if constexpr (tag == Tag::kId) return kNoId;
  else if constexpr (tag == Tag::kTime) return kNoTime;
  else if constexpr (tag == Tag::kOptional32) return kAbsent;
  else return T{};
}

#define FIELD(type, name) type name = not_told<Tag::k##type, type>();
#define KIND(Type, text, subject, ...) \
  struct Type {                        \
    __VA_ARGS__                        \
  };
#include "event/kinds.def"
#undef KIND
#undef FIELD

// The kinds as numbers. Kind::Alloc's details are struct Alloc.
enum class Kind : u8 {
#define KIND(Type, text, subject, ...) Type,
#include "event/kinds.def"
#undef KIND
};

inline constexpr std::size_t kKindCount = 0
#define KIND(Type, text, subject, ...) +1
#include "event/kinds.def"
#undef KIND
    ;

template <class T>
struct KindOf;
#define KIND(Type, text, subject, ...)        \
  template <>                                 \
  struct KindOf<Type> {                       \
    static constexpr Kind value = Kind::Type; \
  };
#include "event/kinds.def"
#undef KIND

struct KindInfo {
  Kind kind;
  std::string_view name;     // in canonical text
  std::string_view subject;  // what Event::id names; "none" when nothing
};
const KindInfo& describe(Kind kind);
// Null when no kind has that name.
const KindInfo* find_kind(std::string_view name);

}  // namespace polytrace::event
