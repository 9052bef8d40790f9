// SPDX-License-Identifier: Apache-2.0
// The layout of a row segment: up to kMostRows events of one kind as columns, with least and
// greatest, so that a scan reads only what it asks for. Made of the catalogue's fields: a new kind
// or field needs no line here. All numbers are little-endian.
//
//   RowHead, columns * ColumnEntry, the columns' bytes in the same order, without gaps
//
// A column holds one number for each row that tells its field. Where some rows do not, a second one
// (field + kBitmapOf, one bit a row) says which do.
#pragma once

#include <optional>
#include <span>
#include <type_traits>

#include "event/details.hpp"
#include "format/native/wire/numbers.hpp"

namespace polytrace::store {

using u16 = std::uint16_t;
using event::u32;
using event::u64;
using event::u8;

inline constexpr u32 kMostRows = 65536;
// Elements that lists of one column may have together; a writer ends a segment far below.
inline constexpr u64 kMostElements = u64{1} << 24;

// Fields have their number in the kind's row of kinds.def; these are in none.
inline constexpr u16 kTimeField = 0xffff;
inline constexpr u16 kThreadField = 0xfffe;   // index of the thread
inline constexpr u16 kSubjectField = 0xfffd;  // index of the entity, else the id
// Derived: what the source did not tell. Readers leave them out unless they are asked for.
inline constexpr u16 kOpenPathField = 0xfffc;    // path of the thread's open calls
inline constexpr u16 kKnownClassField = 0xfffb;  // index of the class of the subject
inline constexpr u16 kMovedField = 0xfffa;       // objects moved since the row before

// Added to a field's number (modulo 2^16): the bitmap of the rows that tell it; of a stack, the
// frames of those that are no path, and the places of frames.
inline constexpr u16 kBitmapOf = 0x4000;
inline constexpr u16 kFramesOf = 0x1000;
inline constexpr u16 kPlacesOf = 0x2000;
constexpr u16 part_of(u16 field, u16 part) { return static_cast<u16>(field + part); }

enum class ColumnType : u8 { plain, integer, real, text, path, list, bitmap };
constexpr bool is_signed(ColumnType type) {
  return type == ColumnType::integer || type == ColumnType::real;
}

enum class Coding : u8 {
  constant,     // the value is ColumnEntry::least; no bytes
  svb,          // SVB; zigzag where the type is signed
  differences,  // SVB of zigzag differences, the first from 0
  dictionary,   // varint count, svarint values, then codes of 1 byte up to 256 values, else of 2
  raw,          // 8 bytes each; of a bitmap one bit each
  list,         // SVB of lengths, then for each member a ColumnEntry and its bytes
};
// Added to a coding: the bytes are one zstd frame.
inline constexpr u8 kZstd = 128;

struct RowHead {
  u16 kind = 0;  // by kind_number()
  u16 zero = 0;
  u32 rows = 0;  // 1 to kMostRows
  base::Time least = 0;
  base::Time greatest = 0;
  u64 first_row = 0;  // number of the first row among those of its kind
  u32 columns = 0;
  u32 zero_too = 0;
};
static_assert(sizeof(RowHead) == 40);

// Members of a list's elements (a reference has two) have entries of their own, numbered from 0.
struct ColumnEntry {
  u16 field = 0;
  ColumnType type = ColumnType::plain;
  u8 coding = 0;  // Coding, and kZstd
  u32 stored = 0;
  u32 raw = 0;  // bytes, inflated
  u32 zero = 0;
  std::int64_t least = 0;  // of a real by its bits as a signed number; plain ones as unsigned
  std::int64_t greatest = 0;
};
static_assert(sizeof(ColumnEntry) == 32);
constexpr Coding coding_of(const ColumnEntry& entry) {
  return static_cast<Coding>(entry.coding & ~unsigned{kZstd});
}

// What is known of a field by its type in the catalogue.
struct FieldInfo {
  std::string_view name{};
  event::Tag tag{};
  ColumnType type = ColumnType::plain;
  u64 none = 0;     // the number that means "not told"
  u64 most = 0;     // the greatest that the type holds
  u32 members = 0;  // of an element, where it is a list
};
// By number.
std::span<const FieldInfo> fields_of(event::Kind kind);
// By name. REQUIRES: the kind has it.
u16 field_number(event::Kind kind, std::string_view name);

// The number that files know a kind by.
constexpr u16 kind_number(event::Kind kind) { return format::native::number_of(kind); }
// Nothing for a number without a kind.
constexpr std::optional<event::Kind> kind_of_number(u64 number) {
  if (number >= format::native::kNumbers) return {};
  const u8 kind = format::native::kKindOfNumber[number];
  if (kind == format::native::kNoKind) return {};
  return static_cast<event::Kind>(kind);
}

// Of a list's element; 0 for what is no list.
template <class T>
constexpr u32 members_of() {
  if constexpr (std::is_same_v<T, event::Refs>) return 2;
  else if constexpr (std::is_same_v<T, event::IlMap>) return 3;
  else if constexpr (std::is_base_of_v<event::Range, T>) return 1;
  else return 0;
}
inline constexpr u32 kPlaceMembers = 3;
inline constexpr u32 kMostMembers = 3;

}  // namespace polytrace::store
