// SPDX-License-Identifier: Apache-2.0
// Reads the primitives of the format (docs/formats/native.md, section 1).
#pragma once

#include "base/io/cursor.hpp"
#include "format/native/wire/byte_output.hpp"

namespace polytrace::format::native {

inline std::uint64_t take_zig(base::Cursor& in) { return unzig(in.uleb()); }
inline base::Id take_id(base::Cursor& in) { return in.uleb() - 1; }
inline std::string_view take_text(base::Cursor& in) {
  const std::uint64_t size = in.uleb();
  const base::Bytes bytes = in.bytes(size);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace polytrace::format::native
