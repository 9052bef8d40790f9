// SPDX-License-Identifier: Apache-2.0
// Heap snapshots: their objects and what those refer to, read when somebody first asks.
#include <mutex>

#include "base/codes.hpp"
#include "sql/tables/tables.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;

struct Dump {
  base::Time start;
  base::Time end = base::kNoTime;
  std::string_view name;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

struct Object {
  base::Id id;
  std::uint64_t size;
  std::uint32_t dump;
  std::uint32_t class_index;
  std::uint32_t generation;
};

struct Reference {
  std::uint32_t owner;
  std::uint32_t owned;  // kNoIndex: it is not in the snapshot
  std::uint64_t offset;
};

// Snapshots are told one after the other.
class Heaps {
 public:
  explicit Heaps(TracePointer trace) : trace_(std::move(trace)) {}

  base::result<void> loaded() const {
    std::call_once(once_, [this] {
      if (auto done = load(); !done) fault_ = done.error();
    });
    if (fault_) return tl::unexpected(*fault_);
    return {};
  }
  const std::vector<Dump>& dumps() const { return dumps_; }
  const std::vector<Object>& objects() const { return objects_; }
  const std::vector<Reference>& references() const { return references_; }
  const Trace& trace() const { return *trace_; }

 private:
  using Numbers = std::span<const std::uint64_t>;
  struct Columns {
    Numbers times, subjects, classes, sizes, generations;
    const store::ListColumn* refs = nullptr;
  };

  base::result<void> load() const;
  base::result<void> load_dumps() const;
  base::result<void> load_objects() const;
  base::result<Columns> columns_of(KindRows& rows) const;
  void take(const Columns& columns, std::uint32_t row) const;
  void begin_dump(base::Time time) const;
  void resolve() const;

  TracePointer trace_;
  mutable std::once_flag once_;
  mutable std::optional<base::Error> fault_;
  mutable std::vector<Dump> dumps_;
  mutable std::vector<Object> objects_;
  mutable std::vector<Reference> references_;
  mutable std::uint32_t dump_ = 0;
  mutable std::unordered_map<base::Id, std::uint32_t> places_;  // of objects of this snapshot
  mutable std::vector<base::Id> targets_;                       // of its references
};

std::uint64_t at(std::span<const std::uint64_t> numbers, std::uint32_t row, std::uint64_t none) {
  return numbers.empty() ? none : numbers[row];
}

base::result<void> Heaps::load_dumps() const {
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

base::result<Heaps::Columns> Heaps::columns_of(KindRows& rows) const {
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
  const auto refs = rows.lists(rows.field("refs"));
  if (!refs) return tl::unexpected(refs.error());
  columns.refs = *refs;
  return columns;
}

// Targets of references are known at the end of their snapshot.
void Heaps::resolve() const {
  const std::size_t first = references_.size() - targets_.size();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const auto found = places_.find(targets_[i]);
    references_[first + i].owned = found == places_.end() ? store::kNoIndex : found->second;
  }
  targets_.clear();
  places_.clear();
}

void Heaps::begin_dump(base::Time time) const {
  std::uint32_t dump = dump_;
  while (dump + 1 < dumps_.size() && dumps_[dump + 1].start <= time) ++dump;
  if (dump == dump_) return;
  resolve();
  dump_ = dump;
}

// An object that is told again has more references.
void Heaps::take(const Columns& columns, std::uint32_t row) const {
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
    references_.push_back({place->second, store::kNoIndex, offsets[i]});
    targets_.push_back(targets[i]);
  }
}

base::result<void> Heaps::load_objects() const {
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

base::result<void> Heaps::load() const {
  if (auto done = load_dumps(); !done) return done;
  return load_objects();
}

Value cell_of_dump(const Heaps& heaps, std::uint64_t row, int column) {
  using At = HeapDumpColumns;
  const Dump& dump = heaps.dumps()[row];
  switch (column) {
    case At::id: return Value::of(row);
    case At::ts: return Value::of(std::int64_t{dump.start});
    case At::name: return Value::told(dump.name);
    case At::objects: return Value::of(dump.objects);
    case At::size: return Value::of(dump.bytes);
    default: return time_value(dump.end);
  }
}

Value cell_of_object(const Heaps& heaps, std::uint64_t row, int column) {
  using At = HeapObjectColumns;
  const Object& object = heaps.objects()[row];
  switch (column) {
    case At::id: return Value::of(row);
    case At::ts: return Value::of(std::int64_t{heaps.dumps()[object.dump].start});
    case At::dump_id: return Value::of(object.dump);
    case At::object_id: return Value::told(heaps.trace().id_name(object.id));
    case At::class_id: return index_value(object.class_index);
    case At::class_name: return Value::name(heaps.trace().class_name(object.class_index));
    case At::size: return Value::of(object.size);
    default: return object.generation == event::kAbsent ? Value() : Value::of(object.generation);
  }
}

Value cell_of_reference(const Heaps& heaps, std::uint64_t row, int column) {
  using At = HeapReferenceColumns;
  const Reference& reference = heaps.references()[row];
  switch (column) {
    case At::id: return Value::of(row);
    case At::dump_id: return Value::of(heaps.objects()[reference.owner].dump);
    case At::owner_id: return Value::of(reference.owner);
    case At::owned_id: return index_value(reference.owned);
    default: return Value::of(reference.offset);
  }
}

using HeapsPointer = std::shared_ptr<const Heaps>;

template <class Row>
TablePointer heap_table(TableId id, HeapsPointer heaps,
                        const std::vector<Row>& (Heaps::*rows)() const,
                        Value (*cell)(const Heaps&, std::uint64_t, int)) {
  return std::make_unique<ListedTable>(
      id, 0,
      [heaps, rows]() -> base::result<std::uint64_t> {
        if (auto done = heaps->loaded(); !done) return tl::unexpected(done.error());
        return ((*heaps).*rows)().size();
      },
      [heaps, cell](std::uint64_t row, int column) { return cell(*heaps, row, column); });
}

}  // namespace

std::vector<TablePointer> heap_tables(const TracePointer& trace) {
  const auto heaps = std::make_shared<const Heaps>(trace);
  std::vector<TablePointer> all;
  all.push_back(heap_table(TableId::HeapDump, heaps, &Heaps::dumps, cell_of_dump));
  all.push_back(heap_table(TableId::HeapObject, heaps, &Heaps::objects, cell_of_object));
  all.push_back(heap_table(TableId::HeapReference, heaps, &Heaps::references, cell_of_reference));
  return all;
}

}  // namespace polytrace::sql
