// SPDX-License-Identifier: Apache-2.0
// Encodes what an event says as a body (docs/formats/native.md, section 5). Needs no library.
#pragma once

#include <span>

#include "event/fields.hpp"
#include "format/native/wire/byte_output.hpp"
#include "format/native/wire/numbers.hpp"

namespace polytrace::format::native {

// What the lists of an event hold, for events that have none. For others: event::Batch, or any type
// with these functions.
struct NoLists {
  std::span<const base::Id> list(const event::Stack&) const { return {}; }
  std::span<const base::Id> list(const event::Natives&) const { return {}; }
  std::span<const event::Ref> list(const event::Refs&) const { return {}; }
  std::span<const event::IlRange> list(const event::IlMap&) const { return {}; }
  std::span<const event::FramePlace> places(const event::Stack&) const { return {}; }
};

// Visitor of event/fields.hpp: bit n for field n.
struct PresentFields {
  std::uint64_t bits = 0;
  std::uint64_t next = 1;

  template <event::Tag tag, class T>
  void field(std::string_view, const T& value) {
    if (event::is_told<tag>(value)) bits |= next;
    next <<= 1;
  }
};

// Visitor of event/fields.hpp: writes the fields that are told.
template <class Lists>
struct FieldOutput {
  ByteOutput& out;
  base::Id subject;
  const Lists& lists;

  template <event::Tag tag, class T>
  void field(std::string_view, const T& value) {
    if (event::is_told<tag>(value)) put<tag>(value);
  }

  template <event::Tag tag, class T>
  void put(const T& value) {
    using event::Tag;
    if constexpr (std::is_base_of_v<event::Range, T>) put_list(value);
    else if constexpr (event::is_text(tag)) out.text(value);
    else if constexpr (tag == Tag::kf64) out.fixed(value);
    else if constexpr (tag == Tag::kTime || tag == Tag::kDuration || tag == Tag::ki64)
      out.zig_zag(static_cast<std::uint64_t>(value));
    else out.var(static_cast<std::uint64_t>(value));
  }

  void put_list(const event::Stack& stack) {
    const std::span<const base::Id> frames = lists.list(stack);
    const std::span<const event::FramePlace> places = lists.places(stack);
    const bool placed = stack.places != event::kAbsent;
    out.var(2 * frames.size() + (placed ? 1 : 0));
    base::Id before = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      put_difference(frames[i], before);
      if (placed) put_place(i < places.size() ? places[i] : event::FramePlace{});
    }
  }
  void put_list(const event::Natives& natives) {
    const std::span<const base::Id> addresses = lists.list(natives);
    out.var(addresses.size());
    base::Id before = 0;
    for (const base::Id address : addresses) put_difference(address, before);
  }
  void put_list(const event::Refs& refs) {
    const std::span<const event::Ref> all = lists.list(refs);
    out.var(all.size());
    base::Id before = subject;
    for (const event::Ref& ref : all) {
      put_difference(ref.target, before);
      out.var(ref.offset);
    }
  }
  void put_list(const event::IlMap& map) {
    const std::span<const event::IlRange> all = lists.list(map);
    out.var(all.size());
    std::uint64_t il = 0;
    std::uint64_t begin = 0;
    for (const event::IlRange& range : all) {
      put_difference(range.il, il);
      put_difference(range.begin, begin);
      out.zig_zag(std::uint64_t{range.end} - range.begin);
    }
  }

  void put_place(const event::FramePlace& place) {
    out.zig_zag(static_cast<std::uint64_t>(place.il) + 1);
    out.zig_zag(static_cast<std::uint64_t>(place.native) + 1);
    out.var(place.ip);
  }
  void put_difference(std::uint64_t value, std::uint64_t& before) {
    out.zig_zag(value - before);
    before = value;
  }
};

// Appends the body of an event of T's kind. What does not fit: ok() of `out` says it.
template <class T, class Lists = NoLists>
void encode_body(ByteOutput& out, base::Id subject, const T& details, const Lists& lists = {}) {
  PresentFields present;
  event::visit_fields(present, details);
  out.var(number_of(event::KindOf<T>::value));
  out.id(subject);
  out.var(present.bits);
  if (present.bits == 0) return;
  FieldOutput<Lists> fields{out, subject, lists};
  event::visit_fields(fields, details);
}

}  // namespace polytrace::format::native
