// SPDX-License-Identifier: Apache-2.0
#include "store/read/index_frames.hpp"

#include <algorithm>
#include <utility>

#include "base/codes.hpp"
#include "base/limits.hpp"
#include "slice/pauses.hpp"
#include "store/read/cells/cell_layout.hpp"

namespace polytrace::store {
namespace {

using base::Bytes;
using base::Code;
using base::fail;

std::size_t place_of(SumKind kind) {
  return static_cast<std::size_t>(std::ranges::find(kSumKinds, kind) - kSumKinds.begin());
}

template <class Sums>
void sort_sums(std::vector<Sums>& sums, auto first, auto size) {
  std::ranges::stable_sort(sums, [&](const Sums& a, const Sums& b) {
    if (std::invoke(first, a) != std::invoke(first, b))
      return std::invoke(first, a) < std::invoke(first, b);
    return std::invoke(size, a) > std::invoke(size, b);
  });
}

constexpr std::uint32_t kSortShift = 256;  // in Entry::level

}  // namespace

std::shared_ptr<const CallBlock> BlockCache::find(std::size_t key) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  blocks_.splice(blocks_.begin(), blocks_, place->second);
  return place->second->block;
}

void BlockCache::keep(std::size_t key, std::shared_ptr<const CallBlock> block) {
  const std::lock_guard lock(mutex_);
  if (places_.contains(key)) return;  // somebody else was faster
  bytes_ += block->bytes();
  blocks_.push_front({key, std::move(block)});
  places_[key] = blocks_.begin();
  while (bytes_ > most_ && blocks_.size() > 1) {
    bytes_ -= blocks_.back().block->bytes();
    places_.erase(blocks_.back().key);
    blocks_.pop_back();
  }
}

base::result<std::shared_ptr<const IndexFrames>> IndexFrames::open(
    std::shared_ptr<const IndexView> view) {
  const std::shared_ptr<IndexFrames> frames(new IndexFrames(std::move(view)));
  if (auto read = frames->read_meanings(); !read) return tl::unexpected(read.error());
  if (auto read = frames->read_streams(); !read) return tl::unexpected(read.error());
  return frames;
}

base::Unexpected IndexFrames::misfit(std::size_t entry) const {
  const Entry& what = view_->entries()[entry];
  return fail(Code::value_unexpected, "does not fit what stands before it",
              {.offset = what.offset, .frame = base::frame_name(what.kind)});
}

base::result<void> IndexFrames::read_meanings() {
  paths_.expect(view_->totals().paths);
  for (std::size_t i = 0; i < view_->entries().size(); ++i)
    if (auto taken = take_meaning(i); !taken) return taken;
  const std::size_t methods = entities_.count(EntitySort::method);
  method_ids_.reserve(methods);
  for (std::size_t i = 0; i < methods; ++i)
    method_ids_.push_back(entities_.of(EntitySort::method, i).id);
  return {};
}

base::result<void> IndexFrames::take_meaning(std::size_t entry) {
  const std::uint32_t kind = view_->entries()[entry].kind;
  if (kind != frame::text && kind != frame::entities && kind != frame::paths &&
      kind != frame::notices && kind != frame::whole)
    return {};
  base::RawArray<std::byte> room;
  const auto content = view_->payload(entry, room);
  if (!content) return tl::unexpected(content.error());
  if (kind == frame::text)
    return texts_.add(*content, room.empty() ? Texts::Owner::index : Texts::Owner::nobody);
  if (kind == frame::entities) return entities_.add(*content);
  if (kind == frame::paths) return paths_.add(*content);
  if (kind == frame::whole) return take_whole(entry, *content);
  auto notes = decode_notes(*content);
  if (!notes) return tl::unexpected(notes.error());
  notes_ = std::move(*notes);
  return {};
}

base::result<void> IndexFrames::take_whole(std::size_t entry, Bytes content) {
  const std::uint32_t sort = view_->entries()[entry].level;
  if (sort == static_cast<std::uint32_t>(WholeSort::threads)) {
    auto threads = read_thread_wholes(content);
    if (!threads) return tl::unexpected(threads.error());
    thread_wholes_ = std::move(*threads);
  } else if (sort == static_cast<std::uint32_t>(WholeSort::methods)) {
    auto methods = read_method_wholes(content);
    if (!methods) return tl::unexpected(methods.error());
    method_wholes_ = std::move(*methods);
  } else if (sort == static_cast<std::uint32_t>(WholeSort::locks)) {
    auto locks = read_lock_wholes(content);
    if (!locks) return tl::unexpected(locks.error());
    lock_wholes_ = std::move(*locks);
  }
  return {};
}

base::result<void> IndexFrames::read_streams() {
  for (std::size_t i = 0; i < view_->entries().size(); ++i)
    if (auto taken = take_stream(i); !taken) return taken;
  std::ranges::sort(numbers_, {}, &Numbered::number);
  for (Thread& thread : threads_) {
    sort_sums(thread.sums, &CallFrames::Sums::first, &CallFrames::Sums::blocks);
    sort_sums(thread.pause_sums, &CallFrames::Sums::first, &CallFrames::Sums::blocks);
    sort_sums(thread.pause_parts, &CallFrames::Sums::first, &CallFrames::Sums::blocks);
    sort_sums(thread.cells, &Cells::first, &Cells::level);
    sort_sums(thread.series, &Cells::first, &Cells::level);
  }
  for (auto& sums : row_sums_)
    sort_sums(sums, &RowFrames::Sums::first_row, &RowFrames::Sums::level);
  return {};
}

base::result<void> IndexFrames::take_stream(std::size_t index) {
  const Entry& entry = view_->entries()[index];
  switch (entry.kind) {
    case frame::calls: return take_block(index);
    case frame::call_sums: return take_call_sums(index);
    case frame::cells: return take_cells(index);
    case frame::series: return take_series(index);
    case frame::ends: return ends_.add(entry.stream, index), base::result<void>();
    case frame::rows: return take_rows(index);
    case frame::row_sums: return take_row_sums(index);
    case frame::order:
      if (entry.count == 0 || entry.count > kOrderedEvents) return misfit(index);
      order_.push_back({entry.number, entry.count, index});
      return {};
    default: return {};
  }
}

base::result<void> IndexFrames::take_block(std::size_t index) {
  const Entry& entry = view_->entries()[index];
  // Each thread is told as an entity, so the list is no longer than the file has bytes.
  if (entry.stream >= entities_.count(EntitySort::thread)) return misfit(index);
  if (threads_.size() <= entry.stream) threads_.resize(entry.stream + std::size_t{1});
  Thread& thread = threads_[entry.stream];
  if (!thread.blocks.empty() && thread.blocks.back().number >= entry.number) return misfit(index);
  numbers_.push_back(
      {entry.number, {entry.stream, static_cast<std::uint32_t>(thread.blocks.size())}});
  if (thread.before.empty()) thread.before.push_back(0);
  thread.blocks.push_back({entry.number, entry.least, entry.greatest});
  thread.entries.push_back(index);
  thread.before.push_back(thread.before.back() + entry.count);
  return {};
}

base::result<void> IndexFrames::take_call_sums(std::size_t index) {
  const Entry& entry = view_->entries()[index];
  const std::uint32_t sort = entry.level / kSortShift;
  if (sort != 1 && sort != 2) return {};  // of another one
  const auto first = first_of(entry.stream, index);
  if (!first) return tl::unexpected(first.error());
  Thread& thread = threads_[entry.stream];
  const bool is_part = entry.level % kSortShift == 0;
  auto& sums = sort == 1 ? thread.sums : is_part ? thread.pause_parts : thread.pause_sums;
  sums.push_back({*first, entry.count, index});
  return {};
}

base::result<void> IndexFrames::take_cells(std::size_t index) {
  const Entry& entry = view_->entries()[index];
  if (entry.stream % kCellFamilies != 0) return {};  // not of calls
  const std::uint32_t thread = entry.stream / kCellFamilies;
  const auto first = first_of(thread, index);
  if (!first) return tl::unexpected(first.error());
  if (entry.count == 0 || entry.level > kMostLevel) return misfit(index);
  threads_[thread].cells.push_back({entry.level, *first, entry.count, index});
  return {};
}

base::result<void> IndexFrames::take_series(std::size_t index) {
  const Entry& entry = view_->entries()[index];
  const auto first = first_of(entry.stream, index);
  if (!first) return tl::unexpected(first.error());
  if (entry.count == 0 || entry.level > kMostLevel) return misfit(index);
  threads_[entry.stream].series.push_back({entry.level, *first, entry.count, index});
  return {};
}

// Place of the first block that an entry is about; all of them are there.
base::result<std::uint32_t> IndexFrames::first_of(std::uint32_t thread, std::size_t index) const {
  const Entry& entry = view_->entries()[index];
  if (thread >= threads_.size()) return misfit(index);
  const auto& blocks = threads_[thread].blocks;
  const auto first = std::ranges::lower_bound(blocks, entry.number, {}, &Block::number);
  const auto place = static_cast<std::size_t>(first - blocks.begin());
  if (first == blocks.end() || first->number != entry.number || entry.count > blocks.size() - place)
    return misfit(index);
  return static_cast<std::uint32_t>(place);
}

base::result<void> IndexFrames::take_rows(std::size_t index) {
  const Entry& entry = view_->entries()[index];
  if (entry.stream > UINT16_MAX) return misfit(index);
  const auto kind = kind_of_number(static_cast<u16>(entry.stream));
  if (!kind) return misfit(index);
  auto& segments = segments_[static_cast<std::size_t>(*kind)];
  const std::uint64_t behind =
      segments.empty() ? 0 : segments.back().first_row + segments.back().rows;
  if (entry.number != behind) return misfit(index);
  segments.push_back({entry.number, entry.count, index});
  return {};
}

base::result<void> IndexFrames::take_row_sums(std::size_t index) {
  const Entry& entry = view_->entries()[index];
  const std::uint32_t sort = entry.level / kSortShift;
  const auto kind = std::ranges::find(kSumKinds, sort, [](SumKind one) { return u32{u8(one)}; });
  if (kind == kSumKinds.end()) return {};  // of another sort
  row_sums_[place_of(*kind)].push_back(
      {entry.level % kSortShift, entry.number, entry.least, entry.greatest, index});
  return {};
}

std::span<const CallFrames::Block> IndexFrames::blocks(std::uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread].blocks;
}

std::span<const CallFrames::Sums> IndexFrames::sums(std::uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread].sums;
}

std::span<const CallFrames::Sums> IndexFrames::pause_sums(std::uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread].pause_sums;
}

std::span<const CallFrames::Sums> IndexFrames::pause_parts(std::uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread].pause_parts;
}

std::uint32_t IndexFrames::lock_class(base::Id object) const {
  const auto at = std::ranges::lower_bound(lock_wholes_, object, {}, &LockWhole::object);
  const bool is_told = at != lock_wholes_.end() && at->object == object;
  return is_told && at->class_index < kNoIndex ? static_cast<std::uint32_t>(at->class_index)
                                               : kNoIndex;
}

base::result<std::shared_ptr<const slice::Pauses>> IndexFrames::pauses() const {
  if (view_->totals().settled == base::kNoTime) return std::shared_ptr<const slice::Pauses>();
  const std::lock_guard lock(pauses_mutex_);
  if (pauses_ == nullptr) {
    auto read = read_pauses();
    if (!read) return base::Unexpected(read.error());
    pauses_ = std::make_shared<const slice::Pauses>(std::move(*read));
  }
  return pauses_;
}

base::result<slice::Pauses> IndexFrames::read_pauses() const {
  slice::PauseFinder finder;
  for (const Segment& segment : segments(event::Kind::Gc)) {
    const auto payload = view_->payload(segment.entry);
    if (!payload) return base::Unexpected(payload.error());
    auto view = RowView::open(*payload);
    if (!view) return base::Unexpected(view.error());
    if (view->kind() != event::Kind::Gc) return misfit(segment.entry);
    const auto times = view->numbers(kTimeField);
    if (!times) return base::Unexpected(times.error());
    const auto threads = view->numbers(kThreadField);
    if (!threads) return base::Unexpected(threads.error());
    const auto phases = view->numbers(field_number(event::Kind::Gc, "phase"));
    if (!phases) return base::Unexpected(phases.error());
    for (std::size_t row = 0; row < times->size(); ++row)
      finder.add(thread(threads->empty() ? 0 : (*threads)[row]),
                 static_cast<base::Time>((*times)[row]),
                 static_cast<event::GcPhase>(phases->empty() ? 0 : (*phases)[row]));
  }
  return finder.take();
}

std::span<const CallFrames::Cells> IndexFrames::cells(std::uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread].cells;
}

std::span<const CallFrames::Cells> IndexFrames::series(std::uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread].series;
}

std::span<const std::uint64_t> IndexFrames::events_before(std::uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread].before;
}

base::result<CallFrames::At> IndexFrames::find(std::uint64_t number) const {
  const auto found = std::ranges::lower_bound(numbers_, number, {}, &Numbered::number);
  if (found == numbers_.end() || found->number != number)
    return fail(Code::value_unexpected, "no such block", {.frame = "CALL"});
  return found->at;
}

base::result<Bytes> IndexFrames::payload(std::uint32_t thread, std::uint32_t place) const {
  return view_->payload(threads_[thread].entries[place]);
}

base::result<Bytes> IndexFrames::payload(const CallFrames::Sums& sums) const {
  return view_->payload(sums.frame);
}

base::result<Bytes> IndexFrames::payload(const Cells& cells) const {
  return view_->payload(cells.frame);
}

base::result<CallEnds::Ends> IndexFrames::ends(std::uint32_t thread) const {
  return ends_.of(thread, *view_);
}

base::result<std::shared_ptr<const CallBlock>> IndexFrames::block(std::uint32_t thread,
                                                                  std::uint32_t place) const {
  const std::size_t entry = threads_[thread].entries[place];
  if (auto known = cache_.find(entry)) return known;
  const auto bytes = view_->payload(entry);
  if (!bytes) return tl::unexpected(bytes.error());
  auto block = std::make_shared<CallBlock>();
  if (auto read = block->read(*bytes, paths_.size()); !read) return tl::unexpected(read.error());
  cache_.keep(entry, block);
  return block;
}

std::span<const RowFrames::Sums> IndexFrames::sums(SumKind kind) const {
  return row_sums_[place_of(kind)];
}

base::result<Bytes> IndexFrames::payload(const RowFrames::Sums& sums) const {
  return view_->payload(sums.frame);
}

base::result<Bytes> IndexFrames::segment(event::Kind kind, u64 first_row) const {
  const auto all = segments(kind);
  const auto found = std::ranges::lower_bound(all, first_row, {}, &Segment::first_row);
  if (found == all.end() || found->first_row != first_row)
    return fail(Code::value_unexpected, "no such segment", {.frame = "ROWS"});
  return view_->payload(found->entry);
}

std::span<const IndexFrames::Segment> IndexFrames::segments(event::Kind kind) const {
  return segments_[static_cast<std::size_t>(kind)];
}

base::result<bool> IndexFrames::has_rows(event::Kind kind, std::string_view field,
                                         u64 least) const {
  for (const Segment& segment : segments(kind)) {
    const auto payload = view_->payload(segment.entry);
    if (!payload) return base::Unexpected(payload.error());
    const auto view = RowView::open(*payload);
    if (!view) return base::Unexpected(view.error());
    const ColumnEntry* const column = view->find(field_number(kind, field));
    if (column != nullptr && static_cast<u64>(column->greatest) >= least) return true;
  }
  return false;
}

base::Id IndexFrames::thread(u64 index) const { return entities_.of(EntitySort::thread, index).id; }

base::Id IndexFrames::subject(event::Kind kind, u64 number) const {
  const EntitySort sort = subject_sort(kind);
  return sort == EntitySort::none ? number : entities_.of(sort, number).id;
}

base::Id IndexFrames::class_id(u64 index) const {
  return entities_.of(EntitySort::class_, index).id;
}

// Parents have smaller numbers, so this ends; but a file of some KiB can have millions of them.
void IndexFrames::frames(u64 path, std::vector<base::Id>& to) const {
  if (path >= paths_.size()) return;
  const auto begin = static_cast<std::ptrdiff_t>(to.size());
  std::size_t left = base::Limits{}.stack_depth;
  for (auto at = static_cast<std::uint32_t>(path); at != kEmptyPath && left-- != 0;
       at = paths_.parent(at))
    to.push_back(method_id(paths_.method(at)));
  std::reverse(to.begin() + begin, to.end());
}

}  // namespace polytrace::store
