// SPDX-License-Identifier: Apache-2.0
// States as the engine holds them: a payload of 64 bits and a tag. The payload is 0 or 1 for bool,
// two's complement for int, the raw bits of a double, the dictionary id of string and bytes.
#pragma once

#include <cstdint>

#include "history/model/value.hpp"

namespace polytrace::history {

enum class Presence : std::uint8_t { value = 0, null = 1, absent = 2 };

// The number of a type in history.bin, also of types that this version does not know.
using TypeCode = std::uint8_t;
constexpr TypeCode code_of(Type type) { return static_cast<TypeCode>(type); }
inline constexpr TypeCode kOpenCode = code_of(Type::open);
inline constexpr TypeCode kAnyCode = code_of(Type::any);
inline constexpr TypeCode kMostCode = 15;

// Whether columns keep the least value of such a timeline as a signed number.
constexpr bool is_signed_class(TypeCode code) { return code == code_of(Type::integer); }

// Presence in bits 0-1, the value's type in bits 2-5.
using Tag = std::uint8_t;
inline constexpr Tag kNullTag = static_cast<Tag>(Presence::null);
inline constexpr Tag kAbsentTag = static_cast<Tag>(Presence::absent);
// A change that was taken back.
inline constexpr Tag kDeadTag = 0xff;

constexpr Tag tag_of(TypeCode type) { return static_cast<Tag>(type << 2); }
constexpr Presence presence_of(Tag tag) { return static_cast<Presence>(tag & 3); }
constexpr TypeCode type_of(Tag tag) { return static_cast<TypeCode>(tag >> 2 & kMostCode); }

// Whether the payload is a dictionary id.
constexpr bool is_text(Tag tag) {
  const bool is_text_type =
      type_of(tag) == code_of(Type::string) || type_of(tag) == code_of(Type::bytes);
  return presence_of(tag) == Presence::value && is_text_type;
}

struct State {
  Tick start = 0;
  std::uint64_t payload = 0;
  Tag tag = kNullTag;
};

// In a column of codes, what is no value: this plus its Presence.
inline constexpr unsigned kNoValueCode = 16;
// The state that such a code makes of a payload; codes that mean nothing read as null.
constexpr State coded_state(Tick start, std::uint64_t payload, unsigned code) {
  if (code <= kMostCode) return {start, payload, tag_of(static_cast<TypeCode>(code))};
  const bool absent = code == kNoValueCode + static_cast<unsigned>(Presence::absent);
  return {start, 0, absent ? kAbsentTag : kNullTag};
}

// A new state of one timeline, as the builder's buffer holds it.
struct Change {
  std::uint64_t payload;
  Tick time;
  std::uint32_t index;  // of the timeline
  std::uint32_t link;   // bits 0-23: the timeline's change before this one; 24-31: the tag

  static constexpr std::uint32_t kNone = (1U << 24) - 1;
  static constexpr std::uint32_t kMost = kNone - 1;  // changes in one buffer
  static constexpr std::uint32_t link_of(std::uint32_t before, Tag tag) {
    return before | static_cast<std::uint32_t>(tag) << 24;
  }
  std::uint32_t before() const { return link & kNone; }
  Tag tag() const { return static_cast<Tag>(link >> 24); }
  State state() const { return {time, payload, tag()}; }
};

}  // namespace polytrace::history
