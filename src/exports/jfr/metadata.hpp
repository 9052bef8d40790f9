// SPDX-License-Identifier: Apache-2.0
// The types of a JFR file and the event that describes them, from types.def and the catalogue
// of events.
#pragma once

#include "event/details.hpp"
#include "exports/jfr/bytes.hpp"

namespace polytrace::exports::jfr {

namespace type {
// Numbers of types. 0 and 1 are those of metadata and checkpoints.
enum Id : std::uint64_t {
  none = 9,
#define PLAIN(id, name) id##_t,
#define TYPE(id, name, ...) id##_t,
#define EVENT(id, name, ...) id##_t,
#include "exports/jfr/types.def"
#undef PLAIN
#undef TYPE
#undef EVENT
  timestamp_t,
  timespan_t,
  data_amount_t,
  label_t,
  category_t,
  unsigned_t,
  memory_address_t,
  gc_id_t,
  first_kind = 128,  // then by event::Kind
};
}  // namespace type

inline std::uint64_t type_of(event::Kind kind) {
  return type::first_kind + static_cast<std::uint64_t>(kind);
}
// What Event::id is in an event of the kind: a method, a class, a number or nothing.
type::Id subject_type(event::Kind kind);

// The whole metadata event.
void write_metadata(Bytes& out);

}  // namespace polytrace::exports::jfr
