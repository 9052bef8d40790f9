// SPDX-License-Identifier: Apache-2.0
// Reads bodies of events (docs/formats/native.md, section 5) into a batch.
#pragma once

#include "event/batch.hpp"
#include "format/native/read/byte_input.hpp"
#include "format/native/wire/numbers.hpp"

namespace polytrace::format::native {

// What was met in a body that is no fault of it.
struct BodyOddities {
  std::uint64_t unknown_bytes = 0;  // behind the last field that is known
  unsigned clamped = 0;             // numbers beyond their type: the nearest one was taken
  unsigned unknown_values = 0;      // of enumerations: taken as not told
};

// How a body begins.
struct BodyHead {
  std::uint64_t number = 0;
  base::Id subject = base::kNoId;
  std::uint64_t present = 0;
};
inline BodyHead read_body_head(base::Cursor& in) {
  BodyHead head;
  head.number = in.uleb();
  head.subject = take_id(in);
  head.present = in.uleb();
  return head;
}

// Reads the fields behind the head and adds the event, unless the cursor has a fault then.
// REQUIRES: the number is that of `kind`.
BodyOddities read_body(base::Cursor& in, const BodyHead& head, event::Kind kind, base::Time time,
                       std::uint16_t thread, event::Batch& batch);

}  // namespace polytrace::format::native
