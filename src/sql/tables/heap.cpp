// SPDX-License-Identifier: Apache-2.0
// Heap snapshots: their objects, what those refer to, what holds them and what they keep alive.
#include <map>

#include "sql/tables/tables.hpp"
#include "sql/trace/heap_rows.hpp"

namespace polytrace::sql {
namespace {

using HeapsPointer = std::shared_ptr<const HeapRows>;

// --- what objects retain -----------------------------------------------------------------------

// By row of heap_object, of the snapshots that somebody asked about.
class Retained {
 public:
  explicit Retained(HeapsPointer heaps) : heaps_(std::move(heaps)) {}

  // Of the snapshots that a scan leaves.
  base::result<void> prepare(const Scan& scan) const {
    constexpr std::uint64_t kAsked = std::uint64_t{1} << HeapObjectColumns::retained_size |
                                     std::uint64_t{1} << HeapObjectColumns::dominator_id;
    if ((scan.columns & kAsked) == 0) return {};
    if (auto done = heaps_->loaded(); !done) return done;
    const std::lock_guard lock(mutex_);
    const Scan::Bounds dumps = scan.bounds(HeapObjectColumns::dump_id);
    figures_.resize(heaps_->objects().size(), {kUnknown, kUnknown});
    done_.resize(heaps_->dumps().size());
    for (std::size_t dump = 0; dump < done_.size(); ++dump) {
      const auto number = static_cast<std::int64_t>(dump);
      if (done_[dump] || number < dumps.least || number > dumps.most) continue;
      if (auto read = this->read(static_cast<std::uint32_t>(dump), scan.stop); !read) return read;
      done_[dump] = true;
    }
    return {};
  }
  Value size(std::uint64_t row) const {
    const std::lock_guard lock(mutex_);
    return row < figures_.size() && figures_[row].bytes != kUnknown ? Value::of(figures_[row].bytes)
                                                                    : Value();
  }
  Value dominator(std::uint64_t row) const {
    const std::lock_guard lock(mutex_);
    return row < figures_.size() && figures_[row].dominator != kUnknown
               ? Value::of(figures_[row].dominator)
               : Value();
  }

 private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  struct Figures {
    std::uint64_t bytes;
    std::uint64_t dominator;  // a row
  };

  base::result<void> read(std::uint32_t dump, const std::atomic<bool>* stop) const {
    std::unordered_map<base::Id, std::uint64_t> rows;
    const auto& objects = heaps_->objects();
    for (std::size_t row = 0; row < objects.size(); ++row)
      if (objects[row].dump == dump) rows.emplace(objects[row].id, row);
    const auto row_of = [&](const analysis::HeapView& view, analysis::HeapGraph::Index object) {
      if (object >= view.graph.objects()) return kUnknown;
      const auto found = rows.find(view.graph.id(object));
      return found == rows.end() ? kUnknown : found->second;
    };
    const auto asked =
        heaps_->trace().heap_graphs().with(dump, stop, [&](const analysis::HeapView& view) {
          for (analysis::HeapGraph::Index i = 0; i < view.graph.objects(); ++i)
            if (const std::uint64_t row = row_of(view, i); row != kUnknown)
              figures_[row] = {view.dominators.retained(i),
                               row_of(view, view.dominators.of_object(i))};
        });
    if (!asked) return tl::unexpected(asked.error());
    return {};
  }

  HeapsPointer heaps_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::vector<Figures> figures_;
  mutable std::vector<bool> done_;  // by snapshot
};

// --- cells -------------------------------------------------------------------------------------

Value cell_of_dump(const HeapRows& heaps, std::uint64_t row, int column) {
  using At = HeapDumpColumns;
  const HeapDumpRow& dump = heaps.dumps()[row];
  switch (column) {
    case At::id: return Value::of(row);
    case At::ts: return Value::of(std::int64_t{dump.start});
    case At::name: return Value::told(dump.name);
    case At::objects: return Value::of(dump.objects);
    case At::size: return Value::of(dump.bytes);
    default: return time_value(dump.end);
  }
}

Value cell_of_object(const HeapRows& heaps, std::uint64_t row, int column) {
  using At = HeapObjectColumns;
  const HeapObjectRow& object = heaps.objects()[row];
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

// Nothing more is known of a strong one.
Value strength_value(event::RefStrength strength) {
  if (strength == event::RefStrength::unknown) return {};
  return Value::name(event::name(strength));
}

Value cell_of_reference(const HeapRows& heaps, std::uint64_t row, int column) {
  using At = HeapReferenceColumns;
  const HeapReferenceRow& reference = heaps.references()[row];
  switch (column) {
    case At::id: return Value::of(row);
    case At::dump_id: return Value::of(heaps.objects()[reference.owner].dump);
    case At::owner_id: return Value::of(reference.owner);
    case At::owned_id: return index_value(reference.owned);
    case At::field_offset: return Value::of(reference.offset);
    default: return strength_value(reference.strength);
  }
}

Value cell_of_root(const HeapRows& heaps, std::uint64_t row, int column) {
  using At = HeapRootColumns;
  const HeapRootRow& root = heaps.roots()[row];
  switch (column) {
    case At::id: return Value::of(row);
    case At::ts: return time_value(root.time);
    case At::dump_id: return index_value(root.dump);
    case At::object_id: return Value::told(heaps.trace().id_name(root.object));
    case At::type: return Value::name(root.type);
    default: return index_value(root.class_index);
  }
}

double rows_of_kind(const Trace& trace, event::Kind kind) {
  return static_cast<double>(KindRows(trace.store(), kind).rows());
}

template <class Row>
std::unique_ptr<ListedTable> heap_table(TableId id, HeapsPointer heaps, event::Kind kind,
                                        const std::vector<Row>& (HeapRows::*rows)() const,
                                        ListedTable::Cell cell) {
  auto table = std::make_unique<ListedTable>(
      id, 0,
      [heaps, rows]() -> base::result<std::uint64_t> {
        if (auto done = heaps->loaded(); !done) return tl::unexpected(done.error());
        return ((*heaps).*rows)().size();
      },
      std::move(cell));
  table->set_expected(rows_of_kind(heaps->trace(), kind));
  return table;
}

}  // namespace

std::vector<TablePointer> heap_tables(const TracePointer& trace) {
  const auto heaps = std::make_shared<const HeapRows>(trace);
  const auto retained = std::make_shared<const Retained>(heaps);
  const auto cells = [heaps](Value (*cell)(const HeapRows&, std::uint64_t, int)) {
    return [heaps, cell](std::uint64_t row, int column) { return cell(*heaps, row, column); };
  };
  auto objects = heap_table(TableId::HeapObject, heaps, event::Kind::DumpObject, &HeapRows::objects,
                            [=](std::uint64_t row, int column) {
                              if (column == HeapObjectColumns::retained_size)
                                return retained->size(row);
                              if (column == HeapObjectColumns::dominator_id)
                                return retained->dominator(row);
                              return cell_of_object(*heaps, row, column);
                            });
  objects->set_prepare([=](const Scan& scan) { return retained->prepare(scan); });
  std::vector<TablePointer> all;
  all.push_back(heap_table(TableId::HeapDump, heaps, event::Kind::Dump, &HeapRows::dumps,
                           cells(cell_of_dump)));
  all.push_back(std::move(objects));
  all.push_back(heap_table(TableId::HeapReference, heaps, event::Kind::DumpObject,
                           &HeapRows::references, cells(cell_of_reference)));
  all.push_back(heap_table(TableId::HeapRoot, heaps, event::Kind::Root, &HeapRows::roots,
                           cells(cell_of_root)));
  return all;
}

}  // namespace polytrace::sql
