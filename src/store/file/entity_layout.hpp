// SPDX-License-Identifier: Apache-2.0
// What has an index in an index: methods, classes, threads and counters. An index means one life of
// an id: who gets an id again is another thing. Frames of them:
//   u8 sort, varint count, of each: varint index, varint of the EntityFields that follow, fields
// Numbers are varints, texts their numbers. Told again: what follows replaces what was told before.
#pragma once

#include "base/types.hpp"
#include "event/details.hpp"

namespace polytrace::store {

enum class EntitySort : std::uint8_t { none, method, class_, thread, counter };
inline constexpr std::size_t kEntitySorts = 5;

enum EntityField : std::uint32_t {
  kEntityId = 1,
  kEntityName = 2,       // text
  kEntityClass = 4,      // of a method: index of its class; of a vtable: of the class it stands for
  kEntitySignature = 8,  // text; of a method
  kEntityTimes = 16,     // of a thread's events: svarint first, varint last less first
  kEntityFieldsKnown = 31,
};

struct Entity {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  base::Id id = base::kNoId;
  std::uint64_t name = kNone;  // number of the text
  std::uint64_t class_index = kNone;
  std::uint64_t signature = kNone;   // number of the text
  base::Time first = base::kNoTime;  // of a thread's events
  base::Time last = base::kNoTime;

  bool operator==(const Entity&) const = default;
};

// Threads that are told of but have no events of their own have indexes from here on.
inline constexpr std::uint32_t kThreadsWithoutEvents = std::uint32_t{1} << 31;

// Of what the subject of a kind's rows is the index; none: it is the id itself.
constexpr EntitySort subject_sort(event::Kind kind) {
  // Methods of which coverage is told have numbers of their own.
  if (kind == event::Kind::CoverageMethod || kind == event::Kind::CoverageStatement)
    return EntitySort::none;
  constexpr std::string_view kSubjects[]{
#define KIND(Type, text, subject, ...) #subject,
#include "event/kinds.def"
#undef KIND
  };
  const std::string_view subject = kSubjects[static_cast<std::size_t>(kind)];
  if (subject == "method") return EntitySort::method;
  if (subject == "class") return EntitySort::class_;
  if (subject == "thread") return EntitySort::thread;
  if (subject == "counter") return EntitySort::counter;
  return EntitySort::none;
}

}  // namespace polytrace::store
