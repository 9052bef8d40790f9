// SPDX-License-Identifier: Apache-2.0
// The objects of heap snapshots, what those refer to and what holds them, as rows. Any thread.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sql/trace/rows.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

struct HeapDumpRow {
  base::Time start;
  base::Time end = base::kNoTime;
  std::string_view name;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

struct HeapObjectRow {
  base::Id id;
  std::uint64_t size;
  std::uint32_t dump;
  std::uint32_t class_index;
  std::uint32_t generation;
};

struct HeapReferenceRow {
  std::uint32_t owner;
  std::uint32_t owned;  // kNoIndex: it is not in the snapshot
  std::uint64_t offset;
  event::RefStrength strength;
};

struct HeapRootRow {
  base::Id object;
  base::Time time;
  std::uint32_t dump;  // kNoIndex: it was told outside of snapshots
  std::uint32_t class_index;
  std::string_view type;  // of the trace
};

// Read when somebody first asks. Snapshots are told one after the other.
class HeapRows {
 public:
  explicit HeapRows(std::shared_ptr<const Trace> trace) : trace_(std::move(trace)) {}

  base::result<void> loaded() const {
    std::call_once(once_, [this] {
      if (auto done = load(); !done) fault_ = done.error();
    });
    if (fault_) return tl::unexpected(*fault_);
    return {};
  }
  const std::vector<HeapDumpRow>& dumps() const { return dumps_; }
  const std::vector<HeapObjectRow>& objects() const { return objects_; }
  const std::vector<HeapReferenceRow>& references() const { return references_; }
  const std::vector<HeapRootRow>& roots() const { return roots_; }
  const Trace& trace() const { return *trace_; }

 private:
  using Numbers = std::span<const std::uint64_t>;
  struct Columns {
    Numbers times, subjects, classes, sizes, generations;
    Numbers strengths;
    const store::ListColumn* refs = nullptr;
  };

  base::result<void> load() const;
  base::result<void> load_dumps() const;
  base::result<void> load_objects() const;
  base::result<void> load_roots() const;
  base::result<void> take_roots(KindRows& rows) const;
  base::result<Columns> columns_of(KindRows& rows) const;
  void take(const Columns& columns, std::uint32_t row) const;
  void begin_dump(base::Time time) const;
  std::uint32_t dump_at(base::Time time) const;
  void resolve() const;

  std::shared_ptr<const Trace> trace_;
  mutable std::once_flag once_;
  mutable std::optional<base::Error> fault_;
  mutable std::vector<HeapDumpRow> dumps_;
  mutable std::vector<HeapObjectRow> objects_;
  mutable std::vector<HeapReferenceRow> references_;
  mutable std::vector<HeapRootRow> roots_;
  mutable std::uint32_t dump_ = 0;
  mutable std::unordered_map<base::Id, std::uint32_t> places_;  // of objects of this snapshot
  mutable std::vector<base::Id> targets_;                       // of its references
};

}  // namespace polytrace::sql
