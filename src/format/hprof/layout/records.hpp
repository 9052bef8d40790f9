// SPDX-License-Identifier: Apache-2.0
// Tags, and the numbers by which the tally counts what was decoded. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace polytrace::format::hprof {

enum class Tag : std::uint8_t {
#define RECORD(tag, identifier, name) identifier = tag,
#define ROOT(tag, identifier, name, threads, numbers)
#define PART(tag, identifier, name)
#include "format/hprof/layout/records.def"
#undef RECORD
#undef ROOT
#undef PART
};

enum class Part : std::uint8_t {
#define RECORD(tag, identifier, name)
#define ROOT(tag, identifier, name, threads, numbers) identifier = tag,
#define PART(tag, identifier, name) identifier = tag,
#include "format/hprof/layout/records.def"
#undef RECORD
#undef ROOT
#undef PART
};

inline constexpr std::size_t kRecordHead = 9;
constexpr bool is_heap(Tag tag) { return tag == Tag::heap_dump || tag == Tag::heap_segment; }

constexpr bool is_object(Part part) {
  return part == Part::class_dump || part == Part::instance || part == Part::object_array ||
         part == Part::value_array || part == Part::bare_array;
}

struct RootKind {
  std::string_view name{};
  bool has_thread = false;
  std::uint8_t numbers = 0;  // further ones
};

// Whether records have that tag.
bool is_record(std::uint8_t tag);
// Null for a part of a heap dump that is no root.
const RootKind* root_kind(Part part);

// The tally's number of a part: roots have tags that records have, too.
constexpr std::uint8_t tallied(Part part) {
  const auto tag = static_cast<std::uint8_t>(part);
  return tag <= 0x08 ? static_cast<std::uint8_t>(0x40 + tag) : tag;
}
std::string record_name(std::uint8_t number);

}  // namespace polytrace::format::hprof
