// SPDX-License-Identifier: Apache-2.0
#include "store/read/row_view.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/codes.hpp"
#include "base/io/cursor.hpp"
#include "event/visit.hpp"

namespace polytrace::store {
namespace {

using base::Bytes;
using base::Code;
using base::fail;
using base::Unexpected;
using event::FramePlace;
using event::IlRange;
using event::Ref;
using event::Tag;

// More than any kind can have, with bitmaps.
constexpr u32 kMostColumns = 512;

base::Id element(base::Id, const ListColumn& lists, std::size_t i) { return lists.members[0][i]; }
Ref element(Ref, const ListColumn& lists, std::size_t i) {
  return {lists.members[0][i], lists.members[1][i]};
}
IlRange element(IlRange, const ListColumn& lists, std::size_t i) {
  const auto part = [&](std::size_t member) { return static_cast<u32>(lists.members[member][i]); };
  return {part(0), part(1), part(2)};
}
FramePlace element(FramePlace, const ListColumn& lists, std::size_t i) {
  const auto part = [&](std::size_t member) {
    return static_cast<std::int64_t>(lists.members[member][i]);
  };
  return {part(0), part(1), lists.members[2][i]};
}

bool are_below(std::span<const u64> numbers, u64 most) {
  return std::ranges::all_of(numbers, [most](u64 number) { return number <= most; });
}

}  // namespace

// Fills the fields of an event from the columns.
class RowView::EventMaker {
 public:
  EventMaker(RowView& view, u32 row, const RowMeanings& meanings, event::Batch& to)
      : view_(view), row_(row), meanings_(meanings), to_(to) {}
  // A field was told.
  bool told() const { return told_; }

  template <Tag tag, class T>
  void field(std::string_view name, T& value) {
    const Loaded& from = view_.loaded_[next_++];
    if constexpr (tag == Tag::kStack) {
      take_stack(from, value);
    } else if constexpr (std::is_base_of_v<event::Range, T>) {
      if (from.lists != nullptr && from.lists->told.has(row_)) take_list(*from.lists, value);
    } else {
      if (!from.numbers.empty()) take_number<tag>(from.numbers[row_], value);
      if constexpr (tag == Tag::kId) take_class(name, value);
    }
    told_ = told_ || event::is_told<tag>(value);
  }

 private:
  template <Tag tag, class T>
  void take_number(u64 number, T& value) {
    if constexpr (event::is_text(tag)) {
      if (number != ~u64{0}) value = to_.keep(meanings_.text(number));
    } else if constexpr (std::is_same_v<T, event::f64>) {
      value = std::bit_cast<event::f64>(number);
    } else {
      value = static_cast<T>(number);
    }
  }
  void take_class(std::string_view name, base::Id& value) {
    if (value != base::kNoId || view_.known_classes_.empty() || name != "class_id") return;
    const u64 index = view_.known_classes_[row_];
    if (index != ~u64{0}) value = meanings_.class_id(index);
  }
  void take_stack(const Loaded& from, event::Stack& stack) {
    const auto path_of = [this](std::span<const u64> paths) {
      return paths.empty() ? ~u64{0} : paths[row_];
    };
    u64 path = path_of(from.numbers);
    const bool listed = from.lists != nullptr && from.lists->told.has(row_);
    if (path == ~u64{0} && !listed) path = path_of(view_.open_paths_);
    if (listed) take_list(*from.lists, stack);
    else if (path != ~u64{0}) take_path(path, stack);
    if (from.places == nullptr || !from.places->told.has(row_)) return;
    event::Range places;
    take_list(*from.places, places, to_.column<FramePlace>());
    if (places.count == stack.count && stack.present()) stack.places = places.first;
  }
  void take_path(u64 path, event::Stack& stack) {
    auto& frames = view_.frames_;
    frames.clear();
    meanings_.frames(path, frames);
    stack.first = static_cast<u32>(to_.frames.size());
    stack.count = static_cast<u32>(frames.size());
    to_.frames.insert(to_.frames.end(), frames.begin(), frames.end());
  }
  void take_list(const ListColumn& lists, event::Stack& stack) {
    take_list(lists, stack, to_.frames);
  }
  void take_list(const ListColumn& lists, event::Natives& natives) {
    take_list(lists, natives, to_.frames);
  }
  void take_list(const ListColumn& lists, event::Refs& refs) {
    take_list(lists, refs, to_.column<Ref>());
  }
  void take_list(const ListColumn& lists, event::IlMap& map) {
    take_list(lists, map, to_.column<IlRange>());
  }
  template <class Item>
  void take_list(const ListColumn& lists, event::Range& range, std::vector<Item>& items) {
    range.first = static_cast<u32>(items.size());
    range.count = lists.count(row_);
    for (std::size_t i = 0; i < range.count; ++i)
      items.push_back(element(Item{}, lists, lists.begin(row_) + i));
  }

  RowView& view_;
  u32 row_;
  const RowMeanings& meanings_;
  event::Batch& to_;
  std::size_t next_ = 0;
  bool told_ = false;
};

base::result<RowView> RowView::open(Bytes payload) {
  RowView view(payload);
  if (auto read = view.read_head(); !read) return Unexpected(read.error());
  return view;
}

base::result<void> RowView::read_head() {
  base::Cursor cursor(payload_, 0);
  const Bytes head = cursor.bytes(sizeof head_);
  if (!cursor.ok()) return fail(cursor.fault_code());
  std::memcpy(&head_, head.data(), sizeof head_);
  const auto kind = kind_of_number(head_.kind);
  if (!kind || head_.rows == 0 || head_.rows > kMostRows || head_.zero != 0 ||
      head_.zero_too != 0 || head_.least == base::kNoTime)
    return fail(Code::value_unexpected);
  kind_ = *kind;
  if (head_.columns > kMostColumns) return fail(Code::count_too_large);
  const Bytes entries = cursor.bytes(head_.columns * sizeof(ColumnEntry));
  if (!cursor.ok()) return fail(cursor.fault_code());
  return find_columns(entries);
}

base::result<void> RowView::find_columns(Bytes entries) {
  entries_.resize(head_.columns);
  if (!entries_.empty()) std::memcpy(entries_.data(), entries.data(), entries.size());
  columns_.resize(entries_.size());
  std::size_t at = sizeof head_ + entries.size();
  for (const ColumnEntry& entry : entries_) {
    if (entry.stored > payload_.size() - at) return fail(Code::field_past_end);
    if (find(entry.field) != &entry || entry.zero != 0) return fail(Code::value_unexpected);
    begins_.push_back(at);
    at += entry.stored;
  }
  if (at != payload_.size()) return fail(Code::trailing_bytes);
  for (const u16 field : {kTimeField, kThreadField})
    if (find(field) == nullptr) return fail(Code::value_unexpected);
  return {};
}

const ColumnEntry* RowView::find(u16 field) const {
  const auto found = std::ranges::find(entries_, field, &ColumnEntry::field);
  return found == entries_.end() ? nullptr : &*found;
}

Bytes RowView::bytes_of(const ColumnEntry& entry) const {
  return payload_.subspan(begins_[static_cast<std::size_t>(&entry - entries_.data())],
                          entry.stored);
}

u64 RowView::none_of(u16 field) const {
  if (field == kMovedField) return 0;
  const auto fields = fields_of(kind_);
  return field < fields.size() ? fields[field].none : ~u64{0};
}

u64 RowView::most_of(u16 field) const {
  if (field == kThreadField) return ~u32{0};
  const auto fields = fields_of(kind_);
  return field < fields.size() ? fields[field].most : ~u64{0};
}

ColumnType RowView::type_of(u16 field) const {
  if (field == kTimeField) return ColumnType::integer;
  if (field == kOpenPathField) return ColumnType::path;
  const auto fields = fields_of(kind_);
  return field < fields.size() ? fields[field].type : ColumnType::plain;
}

// Members of an element of the list.
u32 RowView::width_of(u16 field) const {
  const auto fields = fields_of(kind_);
  if (field < fields.size()) return fields[field].members;
  return field < kPlacesOf ? 1 : kPlaceMembers;
}

base::result<RowSet> RowView::rows_with(u16 field) const {
  const ColumnEntry* const entry = find(part_of(field, kBitmapOf));
  if (entry == nullptr) return RowSet(head_.rows);
  return read_bitmap(*entry, bytes_of(*entry), head_.rows);
}

bool RowView::is_plausible(const ColumnEntry& entry, std::span<const u64> numbers) const {
  if (entry.field != kTimeField) return are_below(numbers, most_of(entry.field));
  return std::ranges::all_of(numbers, [this](u64 number) {
    const auto time = static_cast<base::Time>(number);
    return time >= head_.least && time <= head_.greatest;
  });
}

base::result<void> RowView::read_column(const ColumnEntry& entry, Column& column) const {
  const auto told = rows_with(entry.field);
  if (!told) return Unexpected(told.error());
  if (entry.type != type_of(entry.field)) return fail(Code::value_unexpected);
  if (told->all()) {
    auto read = read_numbers(entry, bytes_of(entry), head_.rows, column.numbers);
    if (!read) return read;
    if (!is_plausible(entry, column.numbers)) return fail(Code::value_unexpected);
    return {};
  }
  std::vector<u64> dense;
  auto read = read_numbers(entry, bytes_of(entry), told->count(), dense);
  if (!read) return read;
  if (!is_plausible(entry, dense)) return fail(Code::value_unexpected);
  column.numbers.assign(head_.rows, none_of(entry.field));
  auto number = dense.begin();
  for (u32 row = 0; row < head_.rows; ++row)
    if (told->has(row)) column.numbers[row] = *number++;
  return {};
}

base::result<std::span<const u64>> RowView::numbers(u16 field) {
  const ColumnEntry* const entry = find(field);
  if (entry == nullptr) return std::span<const u64>();
  Column& column = columns_[static_cast<std::size_t>(entry - entries_.data())];
  if (!column.read) {
    auto read = read_column(*entry, column);
    if (!read) return Unexpected(read.error());
    column.read = true;
  }
  return std::span<const u64>(column.numbers);
}

base::result<const ListColumn*> RowView::lists(u16 field) {
  const ColumnEntry* const entry = find(field);
  if (entry == nullptr) return nullptr;
  Column& column = columns_[static_cast<std::size_t>(entry - entries_.data())];
  if (!column.read) {
    auto told = rows_with(field);
    if (!told) return Unexpected(told.error());
    auto lists = read_lists(*entry, bytes_of(*entry), std::move(*told), width_of(field));
    if (!lists) return Unexpected(lists.error());
    column.lists = std::move(*lists);
    column.read = true;
  }
  return &column.lists;
}

base::result<void> RowView::load_own(DerivedFields derived) {
  const auto load = [this](u16 field, std::span<const u64>& to) -> base::result<void> {
    const auto read = numbers(field);
    if (!read) return Unexpected(read.error());
    to = *read;
    return {};
  };
  auto done = load(kTimeField, times_);
  if (done) done = load(kThreadField, threads_);
  if (done) done = load(kSubjectField, subjects_);
  const bool told = derived == DerivedFields::told;
  if (done && told) done = load(kOpenPathField, open_paths_);
  if (done && told) done = load(kKnownClassField, known_classes_);
  return done;
}

base::result<void> RowView::load_field(u16 number, const FieldInfo& info) {
  Loaded& to = loaded_[number];
  const bool is_stack = info.type == ColumnType::path;
  if (info.type != ColumnType::list) {
    const auto read = numbers(number);
    if (!read) return Unexpected(read.error());
    to.numbers = *read;
  }
  if (info.members != 0) {
    const auto read = lists(is_stack ? part_of(number, kFramesOf) : number);
    if (!read) return Unexpected(read.error());
    to.lists = *read;
  }
  if (is_stack) {
    const auto read = lists(part_of(number, kPlacesOf));
    if (!read) return Unexpected(read.error());
    to.places = *read;
  }
  return {};
}

base::result<void> RowView::load(DerivedFields derived) {
  if (auto done = load_own(derived); !done) return done;
  const auto fields = fields_of(kind_);
  loaded_.assign(fields.size(), {});
  for (u16 number = 0; number < fields.size(); ++number)
    if (auto done = load_field(number, fields[number]); !done) return done;
  return {};
}

void RowView::add(u32 row, const RowMeanings& meanings, event::Batch& to) {
  const auto time = static_cast<base::Time>(times_[row]);
  const std::uint16_t thread = to.thread_slot(meanings.thread(threads_[row]));
  const u64 subject = subjects_.empty() ? ~u64{0} : subjects_[row];
  const base::Id id = subject == ~u64{0} ? base::kNoId : meanings.subject(kind_, subject);
  event::with_kind(kind_, [&](auto details) {
    EventMaker maker(*this, row, meanings, to);
    event::visit_fields(maker, details);
    if (maker.told()) to.add(time, thread, id, details);
    else to.add_plain(time, thread, id, kind_);
  });
}

}  // namespace polytrace::store
