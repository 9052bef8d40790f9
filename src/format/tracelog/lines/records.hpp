// SPDX-License-Identifier: Apache-2.0
// The table of records (records.def) as data: what reads, writes and names lines asks it.
// docs/formats/tracelog.md, sections 3 and 4. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace polytrace::format::tracelog {

// What a field of a line is.
enum class Item : std::uint8_t {
  dec,
  ms,
  us,
  hex32,
  ptr,
  pid,      // decimal or hexadecimal; written decimal
  pid_ptr,  // the same; written as a ptr
  iid,
  second_iid,  // may be missing
  thread,      // an iid, or a decimal id of the operating system
  systime,
  str,
  rest,  // up to the end of the line
  qstr,
  qstr3,
  reason,
  letters,
  code_list,
  alt_list,
  gen_list,
  alloc_list,
  delta_list,
};

constexpr bool is_list(Item item) { return item >= Item::code_list; }

enum class In : std::uint8_t { any, no_early, later, early };
enum class Dialect : std::uint8_t { seed, later, early };
// By Dialect: the versions of the format.
inline constexpr std::array<std::string_view, 3> kDialects{"seed", "later", "early"};

enum class Key : std::uint8_t {
#define RECORD(Name, key, dialects, ...) Name,
#include "format/tracelog/lines/records.def"
#undef RECORD
};

constexpr bool is_in(In dialects, Dialect dialect) {
  switch (dialects) {
    case In::any: return true;
    case In::no_early: return dialect != Dialect::early;
    case In::later: return dialect == Dialect::later;
    case In::early: return dialect == Dialect::early;
  }
  return false;
}

struct ItemInfo {
  Item type;
  std::string_view name;
};

struct Record {
  Key number;
  std::string_view key;  // 7 bytes
  In dialects;
  std::span<const ItemInfo> items;
};

inline constexpr std::size_t kKeyBytes = 7;
inline constexpr std::size_t kMostItems = 7;

// By Key.
std::span<const Record> records();
inline const Record& record(Key key) { return records()[static_cast<std::size_t>(key)]; }
// Null when there is none. REQUIRES: kKeyBytes.
const Record* find_record(const char* key);
// Whether the 7 bytes are three lower-case letters, a space and three more.
bool is_key(const char* key);

}  // namespace polytrace::format::tracelog
