// SPDX-License-Identifier: Apache-2.0
// The body of an event that is being recorded: its lists (stack, references, ranges of code) in the
// caller's memory, and the function that encodes it with them. Lists is what
// format/native/wire/body.hpp asks of a type of lists.
#pragma once

#include <span>

#include "event/details.hpp"
#include "format/native/wire/body.hpp"

namespace polytrace::agent {

struct Lists {
  std::span<const base::Id> frames;                 // of a Stack, outermost first
  std::span<const base::Id> natives;                // of Natives, outermost first
  std::span<const event::FramePlace> frame_places;  // one per frame, or none
  std::span<const event::Ref> refs;
  std::span<const event::IlRange> il_map;

  std::span<const base::Id> list(const event::Stack&) const { return frames; }
  std::span<const base::Id> list(const event::Natives&) const { return natives; }
  std::span<const event::Ref> list(const event::Refs&) const { return refs; }
  std::span<const event::IlRange> list(const event::IlMap&) const { return il_map; }
  std::span<const event::FramePlace> places(const event::Stack&) const { return frame_places; }
};

// What a field holds whose list is all of the spans: Alloc a; a.stack = whole_stack(lists).
inline event::Stack whole_stack(const Lists& lists) {
  event::Stack stack;
  stack.first = 0;
  stack.count = static_cast<event::u32>(lists.frames.size());
  if (!lists.frame_places.empty()) stack.places = 0;
  return stack;
}
inline event::Natives whole_natives(const Lists& lists) {
  event::Natives natives;
  natives.first = 0;
  natives.count = static_cast<event::u32>(lists.natives.size());
  return natives;
}
inline event::Refs whole_refs(const Lists& lists) {
  event::Refs refs;
  refs.first = 0;
  refs.count = static_cast<event::u32>(lists.refs.size());
  return refs;
}
inline event::IlMap whole_il_map(const Lists& lists) {
  event::IlMap map;
  map.first = 0;
  map.count = static_cast<event::u32>(lists.il_map.size());
  return map;
}

// `details` is of the kind that the function was made for.
using EncodeBody = void (*)(format::native::ByteOutput& out, base::Id subject, const void* details,
                            const Lists& lists);
template <class T>
void encode_as(format::native::ByteOutput& out, base::Id subject, const void* details,
               const Lists& lists) {
  format::native::encode_body(out, subject, *static_cast<const T*>(details), lists);
}

}  // namespace polytrace::agent
