// SPDX-License-Identifier: Apache-2.0
#include "format/native/read/body_reader.hpp"

#include <limits>

#include "event/fields.hpp"

namespace polytrace::format::native {
namespace {

using base::Id;
using event::Tag;

// Visitor of event/fields.hpp.
struct FieldInput {
  base::Cursor& in;
  event::Batch& batch;
  Id subject;
  std::uint64_t present;
  unsigned clamped = 0;
  unsigned unknown_values = 0;

  template <Tag tag, class T>
  void field(std::string_view, T& value) {
    if ((present & 1) != 0) read<tag>(value);
    present >>= 1;
  }

  template <Tag tag, class T>
  void read(T& value) {
    if constexpr (std::is_base_of_v<event::Range, T>) read_list(value);
    else if constexpr (event::is_text(tag)) value = batch.keep(take_text(in));
    else if constexpr (tag == Tag::kf64) value = in.fixed<double>();
    else if constexpr (tag == Tag::kTime || tag == Tag::kDuration || tag == Tag::ki64)
      value = static_cast<T>(take_zig(in));
    else if constexpr (std::is_enum_v<T>) read_value(value);
    else read_number(value);
  }

  template <class E>
  void read_value(E& value) {
    const std::uint64_t number = in.uleb();
    if (number < event::names(value).size()) value = static_cast<E>(number);
    else ++unknown_values;
  }
  template <class T>
  void read_number(T& value) {
    const std::uint64_t number = in.uleb();
    constexpr std::uint64_t kMost = std::numeric_limits<T>::max();
    value = static_cast<T>(number <= kMost ? number : kMost);
    if (number > kMost) ++clamped;
  }

  // Opens a list of `count` items of at least so many bytes each; false if they cannot be there.
  template <class T>
  bool open(event::Range& range, const std::vector<T>& column, std::uint64_t count,
            std::size_t item_bytes) {
    if (!in.fits(count, item_bytes)) return false;
    range.first = static_cast<std::uint32_t>(column.size());
    range.count = static_cast<std::uint32_t>(count);
    return true;
  }
  void read_list(event::Stack& stack) {
    const std::uint64_t head = in.uleb();
    const bool placed = (head & 1) != 0;
    if (!open(stack, batch.frames, head >> 1, placed ? 4 : 1)) return;
    auto& places = batch.column<event::FramePlace>();
    if (placed) stack.places = static_cast<std::uint32_t>(places.size());
    Id frame = 0;
    for (std::uint32_t i = 0; i < stack.count; ++i) {
      frame += take_zig(in);
      batch.frames.push_back(frame);
      if (placed) places.push_back(read_place());
    }
  }
  event::FramePlace read_place() {
    event::FramePlace place;
    place.il = static_cast<std::int64_t>(take_zig(in) - 1);
    place.native = static_cast<std::int64_t>(take_zig(in) - 1);
    place.ip = in.uleb();
    return place;
  }
  void read_list(event::Natives& natives) {
    if (!open(natives, batch.frames, in.uleb(), 1)) return;
    Id address = 0;
    for (std::uint32_t i = 0; i < natives.count; ++i) {
      address += take_zig(in);
      batch.frames.push_back(address);
    }
  }
  void read_list(event::Refs& refs) {
    auto& column = batch.column<event::Ref>();
    if (!open(refs, column, in.uleb(), 2)) return;
    Id target = subject;
    for (std::uint32_t i = 0; i < refs.count; ++i) {
      target += take_zig(in);
      column.push_back({target, in.uleb()});
    }
  }
  void read_list(event::IlMap& map) {
    auto& column = batch.column<event::IlRange>();
    if (!open(map, column, in.uleb(), 3)) return;
    std::uint64_t il = 0;
    std::uint64_t begin = 0;
    for (std::uint32_t i = 0; i < map.count; ++i) {
      il += take_zig(in);
      begin += take_zig(in);
      const std::uint64_t end = begin + take_zig(in);
      column.push_back({static_cast<std::uint32_t>(il), static_cast<std::uint32_t>(begin),
                        static_cast<std::uint32_t>(end)});
    }
  }
};

}  // namespace

BodyOddities read_body(base::Cursor& in, const BodyHead& head, event::Kind kind, base::Time time,
                       std::uint16_t thread, event::Batch& batch) {
  FieldInput input{in, batch, head.subject, head.present};
  event::with_kind(kind, [&](auto details) {
    if (head.present != 0) event::visit_fields(input, details);
    if (!in.ok()) return;
    if (head.present != 0) batch.add(time, thread, head.subject, details);
    else batch.add_plain(time, thread, head.subject, kind);
  });
  return {in.left(), input.clamped, input.unknown_values};
}

}  // namespace polytrace::format::native
