// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/layout/records.hpp"

#include <fmt/format.h>

#include <array>

namespace polytrace::format::hprof {

const RootKind* root_kind(Part part) {
  static constexpr auto kKinds = [] {
    std::array<RootKind, 256> kinds{};
#define RECORD(tag, identifier, name)
#define ROOT(tag, identifier, name, threads, numbers) kinds[tag] = {name, threads != 0, numbers};
#define PART(tag, identifier, name)
#include "format/hprof/layout/records.def"
#undef RECORD
#undef ROOT
#undef PART
    return kinds;
  }();
  const RootKind& kind = kKinds[static_cast<std::uint8_t>(part)];
  return kind.name.empty() ? nullptr : &kind;
}

bool is_record(std::uint8_t tag) {
  switch (tag) {
#define RECORD(tag, identifier, name) case tag:
#define ROOT(tag, identifier, name, threads, numbers)
#define PART(tag, identifier, name)
#include "format/hprof/layout/records.def"
#undef RECORD
#undef ROOT
#undef PART
    return true;
    default: return false;
  }
}

std::string record_name(std::uint8_t number) {
  switch (number) {
#define RECORD(tag, identifier, name) \
  case tag: return name;
#define ROOT(tag, identifier, name, threads, numbers) \
  case tallied(Part::identifier): return "root: " name;
#define PART(tag, identifier, name) \
  case tag: return "heap: " name;
#include "format/hprof/layout/records.def"
#undef RECORD
#undef ROOT
#undef PART
  }
  return fmt::format("record {:#x}", number);
}

}  // namespace polytrace::format::hprof
