// SPDX-License-Identifier: Apache-2.0
#include "store/build/rows/row_encoder.hpp"

#include <bit>

#include "event/visit.hpp"

namespace polytrace::store {
namespace {

using event::FramePlace;
using event::IlRange;
using event::Ref;
using event::Tag;

std::array<u64, 1> members(base::Id id) { return {id}; }
std::array<u64, 2> members(const Ref& ref) { return {ref.target, ref.offset}; }
std::array<u64, 3> members(const IlRange& range) { return {range.il, range.begin, range.end}; }
std::array<u64, 3> members(const FramePlace& place) {
  return {static_cast<u64>(place.il), static_cast<u64>(place.native), place.ip};
}

// Of columns of one kind: those of all kinds that a trace tells many of take some MiB.
constexpr std::size_t kMostSpare = 1;
constexpr std::size_t kMostSpareBytes = std::size_t{8} << 20;

constexpr std::array kElement{ColumnType::plain, ColumnType::plain, ColumnType::plain};
constexpr std::array kPlace{ColumnType::integer, ColumnType::integer, ColumnType::plain};

// Puts what an event tells into the columns.
class RowFiller {
 public:
  RowFiller(const event::Batch& batch, RowColumns& columns, TextIds& texts, StackPaths* paths)
      : batch_(batch), columns_(columns), texts_(texts), paths_(paths), row_(columns.rows()) {}

  template <Tag tag, class T>
  void field(std::string_view, const T& value) {
    FieldColumns& to = columns_.field(next_++);
    if (!event::is_told<tag>(value)) return;
    if constexpr (event::is_text(tag)) to.numbers.add(row_, texts_.id(value));
    else if constexpr (tag == Tag::kStack) add_stack(to, value);
    else if constexpr (std::is_base_of_v<event::Range, T>) add_list(to.lists, batch_.list(value));
    else if constexpr (std::is_same_v<T, event::f64>)
      to.numbers.add(row_, std::bit_cast<u64>(value));
    else to.numbers.add(row_, static_cast<u64>(value));
  }

 private:
  void add_stack(FieldColumns& to, const event::Stack& stack) {
    const auto frames = batch_.list(stack);
    const StackPath path = paths_ == nullptr ? StackPath{} : paths_->path(frames);
    if (path.is_exact) {
      to.numbers.add(row_, path.number);
    } else {
      add_list(to.lists, frames);
      // What sums count it for.
      if (path.number != StackPath::kNone) columns_.own(kOpenPathField).add(row_, path.number);
    }
    if (stack.places != event::kAbsent) add_list(to.places, batch_.places(stack));
  }
  template <class Item>
  void add_list(ToldLists& to, std::span<const Item> items) {
    to.lengths.add(row_, items.size());
    columns_.add_elements(items.size());
    for (const Item& item : items) {
      const auto all = members(item);
      for (std::size_t i = 0; i < all.size(); ++i) to.members[i].push(all[i]);
    }
  }

  const event::Batch& batch_;
  RowColumns& columns_;
  TextIds& texts_;
  StackPaths* paths_;
  u32 row_;
  u32 next_ = 0;
};

// The columns of a segment, one after the other.
class SegmentWriter {
 public:
  SegmentWriter(const RowColumns& columns, CodingTurn& turn)
      : columns_(columns), encoder_(turn, bytes_) {}

  void own(u16 field, ColumnType type) { add(field, type, columns_.own(field)); }
  void field(u16 number, const FieldInfo& info) {
    const FieldColumns& column = columns_.field(number);
    add(number, info.type, column.numbers);
    const bool is_stack = info.type == ColumnType::path;
    add(is_stack ? part_of(number, kFramesOf) : number, column.lists, kElement);
    add(part_of(number, kPlacesOf), column.places, kPlace);
  }
  void write(RowHead head, std::string& payload) const {
    head.columns = static_cast<u32>(entries_.size());
    payload.append(reinterpret_cast<const char*>(&head), sizeof head);
    const auto entries = std::as_bytes(std::span(entries_));
    payload.append(reinterpret_cast<const char*>(entries.data()), entries.size());
    payload += bytes_;
  }

 private:
  void add(u16 field, ColumnType type, const Told& told) {
    if (told.count() == 0) return;
    entries_.push_back(encoder_.numbers(field, type, told.numbers()));
    add_bitmap(field, told);
  }
  void add(u16 field, const ToldLists& lists, std::span<const ColumnType> types) {
    if (lists.lengths.count() == 0) return;
    entries_.push_back(encoder_.lists(field, lists, types.first(lists.width)));
    add_bitmap(field, lists.lengths);
  }
  void add_bitmap(u16 field, const Told& told) {
    if (told.count() == columns_.rows()) return;
    entries_.push_back(encoder_.bitmap(field, told.rows(), columns_.rows()));
  }

  const RowColumns& columns_;
  std::string bytes_;
  ColumnEncoder encoder_;
  std::vector<ColumnEntry> entries_;
};

}  // namespace

void RowSegment::encode(std::string& payload) {
  SegmentWriter writer(*columns_, turn_);
  writer.own(kTimeField, ColumnType::integer);
  writer.own(kThreadField, ColumnType::plain);
  writer.own(kSubjectField, ColumnType::plain);
  writer.own(kOpenPathField, ColumnType::path);
  writer.own(kKnownClassField, ColumnType::plain);
  writer.own(kMovedField, ColumnType::plain);
  const auto fields = fields_of(kind());
  for (u16 number = 0; number < fields.size(); ++number) writer.field(number, fields[number]);
  turn_.end();
  writer.write({.kind = kind_number(kind()),
                .rows = rows(),
                .least = least(),
                .greatest = greatest(),
                .first_row = first_row_},
               payload);
}

RowEncoder::RowEncoder(event::Kind kind, TextIds& texts, StackPaths* paths)
    : columns_(std::make_unique<RowColumns>(kind)),
      texts_(texts),
      paths_(paths),
      spare_(std::make_shared<Spare<RowColumns>>(kMostSpare, kMostSpareBytes)) {}

void RowEncoder::add(const event::Batch& batch, const event::Event& event, u32 thread, u64 subject,
                     const Derived& derived) {
  RowColumns& columns = *columns_;
  const u32 row = columns.rows();
  columns.own(kTimeField).add(row, static_cast<u64>(event.time));
  columns.own(kThreadField).add(row, thread);
  if (subject != Derived::kNone) columns.own(kSubjectField).add(row, subject);
  if (derived.path != Derived::kNone) columns.own(kOpenPathField).add(row, derived.path);
  if (derived.class_index != Derived::kNone)
    columns.own(kKnownClassField).add(row, derived.class_index);
  if (derived.moved != 0) columns.own(kMovedField).add(row, derived.moved);
  if (event.detail != event::kAbsent) {
    event::with_details(batch, event, [&](const auto& details) {
      RowFiller filler(batch, columns, texts_, paths_);
      event::visit_fields(filler, details);
    });
  }
  columns.next_row(event.time);
}

RowSegment RowEncoder::copy(u64 first_row) const {
  return {std::make_unique<RowColumns>(*columns_), first_row, CodingTurns().next(), spare_};
}

RowSegment RowEncoder::take(u64 first_row, Memory memory) {
  auto next = memory == Memory::is_short ? nullptr : spare_->take();
  if (next == nullptr) next = std::make_unique<RowColumns>(columns_->kind());
  return {std::exchange(columns_, std::move(next)), first_row, turns_.next(), spare_};
}

}  // namespace polytrace::store
