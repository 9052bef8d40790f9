// SPDX-License-Identifier: Apache-2.0
// The entries of a MAPPING block behind its first fields (docs/formats/monoblock.md, 4.3).
#pragma once

#include "base/codes.hpp"
#include "format/monoblock/layout/number.hpp"
#include "format/monoblock/layout/state.hpp"

namespace polytrace::format::monoblock {

struct MappedClass {
  std::uint64_t id = 0;
  std::optional<std::uint64_t> assembly{};
  std::string_view name{};  // into the block
  std::uint64_t fixed_size = 0;
};
struct MappedMethod {
  std::uint64_t id = 0;
  std::uint64_t class_id = 0;
  std::uint64_t wrapper = 0;
  std::string_view name{};
};

// The next entry; an id 0 is the end of the list. Only good while in.ok().
inline MappedClass read_mapped_class(base::Cursor& in, const FileHead& file, const State& state) {
  MappedClass entry{.id = number(in)};
  if (entry.id == 0) return entry;
  if (!file.shipped() || state.has(Directive::classes_carry_assembly)) entry.assembly = number(in);
  entry.name = in.zero_terminated();
  if (!file.shipped()) entry.fixed_size = number(in);
  return entry;
}

inline MappedMethod read_mapped_method(base::Cursor& in, const FileHead& file, const State& state) {
  MappedMethod entry{.id = number(in)};
  if (entry.id == 0) return entry;
  entry.class_id = number(in);
  if (!file.shipped() || state.has(Directive::methods_carry_wrapper)) entry.wrapper = number(in);
  if (entry.wrapper > 1) in.fault(base::Code::value_unexpected);
  entry.name = in.zero_terminated();
  return entry;
}

}  // namespace polytrace::format::monoblock
