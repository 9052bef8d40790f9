// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/heap_rows.hpp"

#include "analysis/heap/graph/holders.hpp"
#include "base/codes.hpp"

namespace polytrace::sql {

using event::Kind;

namespace {

std::uint64_t at(std::span<const std::uint64_t> numbers, std::uint32_t row, std::uint64_t none) {
  return numbers.empty() ? none : numbers[row];
}

}  // namespace

base::result<void> HeapRows::load_dumps() const {
  KindRows rows(trace_->store(), Kind::Dump);
  for (std::size_t segment = 0; segment < rows.segments(); ++segment) {
    if (auto opened = rows.open(segment); !opened) return opened;
    const auto times = rows.numbers(store::kTimeField);
    const auto stages = rows.numbers(rows.field("stage"));
    const auto names = rows.numbers(rows.field("name"));
    if (!times || !stages || !names) return base::fail(base::Code::value_unexpected, "snapshots");
    for (std::uint32_t i = 0; i < times->size(); ++i) {
      const auto time = static_cast<base::Time>((*times)[i]);
      const bool begins = at(*stages, i, 0) == 0;
      if (!begins && !dumps_.empty()) dumps_.back().end = time;
      if (begins)
        dumps_.push_back({.start = time,
                          .name = trace_->store().texts().text(at(*names, i, ~std::uint64_t{0}))});
    }
  }
  return {};
}

base::result<HeapRows::Columns> HeapRows::columns_of(KindRows& rows) const {
  Columns columns;
  const auto take_column = [&](std::uint16_t field, Numbers& to) -> base::result<void> {
    const auto numbers = rows.numbers(field);
    if (!numbers) return tl::unexpected(numbers.error());
    to = *numbers;
    return {};
  };
  auto done = take_column(store::kTimeField, columns.times);
  if (done) done = take_column(store::kSubjectField, columns.subjects);
  if (done) done = take_column(rows.field("class_id"), columns.classes);
  if (done) done = take_column(rows.field("size"), columns.sizes);
  if (done) done = take_column(rows.field("generation"), columns.generations);
  if (!done) return tl::unexpected(done.error());
  if (auto strengths = take_column(rows.field("first_ref"), columns.strengths); !strengths)
    return tl::unexpected(strengths.error());
  const auto refs = rows.lists(rows.field("refs"));
  if (!refs) return tl::unexpected(refs.error());
  columns.refs = *refs;
  return columns;
}

// Targets of references are known at the end of their snapshot.
void HeapRows::resolve() const {
  const std::size_t first = references_.size() - targets_.size();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const auto found = places_.find(targets_[i]);
    references_[first + i].owned = found == places_.end() ? store::kNoIndex : found->second;
  }
  targets_.clear();
  places_.clear();
}

void HeapRows::begin_dump(base::Time time) const {
  std::uint32_t dump = dump_;
  while (dump + 1 < dumps_.size() && dumps_[dump + 1].start <= time) ++dump;
  if (dump == dump_) return;
  resolve();
  dump_ = dump;
}

// An object that is told again has more references.
void HeapRows::take(const Columns& columns, std::uint32_t row) const {
  begin_dump(static_cast<base::Time>(columns.times[row]));
  const base::Id id = at(columns.subjects, row, base::kNoId);
  const auto next = static_cast<std::uint32_t>(objects_.size());
  const auto [place, fresh] = places_.try_emplace(id, next);
  if (fresh) {
    const std::uint64_t size = at(columns.sizes, row, 0);
    objects_.push_back({id, size, dump_, trace_->class_with(at(columns.classes, row, base::kNoId)),
                        static_cast<std::uint32_t>(at(columns.generations, row, event::kAbsent))});
    ++dumps_[dump_].objects;
    dumps_[dump_].bytes += size;
  }
  if (columns.refs == nullptr || !columns.refs->told.has(row)) return;
  const auto& targets = columns.refs->members[0];
  const auto& offsets = columns.refs->members[1];
  const std::uint32_t begin = columns.refs->begin(row);
  for (std::uint32_t i = begin; i < begin + columns.refs->count(row); ++i) {
    const auto strength = i == begin ? at(columns.strengths, row, 0) : 0;
    references_.push_back(
        {place->second, store::kNoIndex, offsets[i], static_cast<event::RefStrength>(strength)});
    targets_.push_back(targets[i]);
  }
}

base::result<void> HeapRows::load_objects() const {
  KindRows rows(trace_->store(), Kind::DumpObject);
  for (std::size_t segment = 0; segment < rows.segments(); ++segment) {
    if (auto opened = rows.open(segment); !opened) return opened;
    const auto columns = columns_of(rows);
    if (!columns) return tl::unexpected(columns.error());
    // A snapshot whose beginning is not told.
    if (dumps_.empty() && rows.count() != 0)
      dumps_.push_back({.start = static_cast<base::Time>(columns->times[0]), .name = {}});
    for (std::uint32_t row = 0; row < rows.count(); ++row) take(*columns, row);
  }
  resolve();
  return {};
}

base::result<void> HeapRows::take_roots(KindRows& rows) const {
  const auto times = rows.numbers(store::kTimeField);
  const auto objects = rows.numbers(store::kSubjectField);
  const auto flags = rows.numbers(rows.field("flags"));
  const auto addresses = rows.numbers(rows.field("address"));
  const auto types = rows.numbers(rows.field("type"));
  const auto classes = rows.numbers(rows.field("class_id"));
  for (const auto* const read : {&times, &objects, &flags, &addresses, &types, &classes})
    if (!*read) return tl::unexpected(read->error());
  for (std::uint32_t row = 0; row < rows.count(); ++row) {
    const auto time = static_cast<base::Time>((*times)[row]);
    event::Root root;
    root.flags = static_cast<std::uint32_t>(at(*flags, row, 0));
    root.address = at(*addresses, row, base::kNoId);
    root.type = trace_->store().texts().text(at(*types, row, ~std::uint64_t{0}));
    roots_.push_back({at(*objects, row, base::kNoId), time, dump_at(time),
                      trace_->class_with(at(*classes, row, base::kNoId)),
                      analysis::holder_of(root)});
  }
  return {};
}

base::result<void> HeapRows::load_roots() const {
  KindRows rows(trace_->store(), Kind::Root);
  for (std::size_t segment = 0; segment < rows.segments(); ++segment) {
    if (auto opened = rows.open(segment); !opened) return opened;
    if (auto taken = take_roots(rows); !taken) return taken;
  }
  return {};
}

// The snapshot that is being told then.
std::uint32_t HeapRows::dump_at(base::Time time) const {
  for (std::uint32_t i = 0; i < dumps_.size(); ++i)
    if (time >= dumps_[i].start && (dumps_[i].end == base::kNoTime || time <= dumps_[i].end))
      return i;
  return store::kNoIndex;
}

base::result<void> HeapRows::load() const {
  if (auto done = load_dumps(); !done) return done;
  if (auto done = load_objects(); !done) return done;
  return load_roots();
}

}  // namespace polytrace::sql
