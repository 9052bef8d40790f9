// SPDX-License-Identifier: Apache-2.0
// What earlier blocks decide for later ones: the lines of the clock and the places that allocate.
// Framing keeps it over the stream and hands it to each chunk. Value type, cheap to copy.
#pragma once

#include "base/io/cursor.hpp"
#include "base/layered_map.hpp"
#include "format/native/wire/sealing.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::format::native {

struct Context {
  base::LayeredMap<std::int64_t, ClockLine> lines;  // by the tick where they begin
  base::LayeredMap<std::uint64_t, Site> sites;
  bool recovered = false;  // the chunk was made of what segments still held

  // Learns from a clock or site block what can be read of it.
  void learn(Content content, base::Bytes payload);
};

// The next site of a site block, or the line of a clock block. A fault: of the cursor.
Site read_site(base::Cursor& in);
ClockLine read_line(base::Cursor& in);

}  // namespace polytrace::format::native
