// SPDX-License-Identifier: Apache-2.0
// The items of a STATISTICAL block (docs/formats/monoblock.md, section 4.7), for all who read them.
#pragma once

#include "format/monoblock/layout/number.hpp"

namespace polytrace::format::monoblock {

enum class HitKind : std::uint8_t {
  end = 0,  // of the shipped variants
  method = 1,
  function = 2,
  new_function = 3,
  address = 4,
  chain = 5,
  regions = 7,
};

struct HitItem {
  HitKind kind = HitKind::end;
  std::uint64_t value = 0;   // what stands beside the kind
  std::uint64_t second = 0;  // function id or offset
  std::string_view name{};   // of a new function
  bool is_hit() const { return kind >= HitKind::method && kind <= HitKind::address; }
};

struct HitRegion {
  std::uint64_t id = 0;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::uint64_t file_offset = 0;
  std::string_view file{};
};

// The next item, without the lists that follow one of kind regions.
inline HitItem read_hit_item(base::Cursor& in) {
  const std::uint64_t both = number(in);
  HitItem item{.kind = static_cast<HitKind>(both & 7U), .value = both >> 3};
  if (item.kind == HitKind::new_function || item.kind == HitKind::address) item.second = number(in);
  if (item.kind == HitKind::new_function) item.name = in.zero_terminated();
  return item;
}

// The next region of the list of new ones; an id 0 is its end. The list of removed ids before it
// are plain numbers up to a 0.
inline HitRegion read_hit_region(base::Cursor& in) {
  HitRegion region{.id = number(in)};
  if (region.id == 0) return region;
  region.start = number(in);
  region.size = number(in);
  region.file_offset = number(in);
  region.file = in.zero_terminated();
  return region;
}

}  // namespace polytrace::format::monoblock
