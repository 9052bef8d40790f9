// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/heap/tables.hpp"
#include "analysis/selected.hpp"
#include "base/figure_text.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;

class Heap final : public Analysis {
 public:
  explicit Heap(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  void dump(const Slice& slice, const Event& event);
  void close(bool complete);

  Selection selection_;
  SnapshotBuilder builder_;
  std::vector<HeapSnapshot> snapshots_;
  bool open_ = false;           // the last of snapshots_ is being read
  std::uint64_t homeless_ = 0;  // objects outside any snapshot
};

void Heap::consume(const Slice& slice) {
  const event::Batch& batch = slice.batch;
  for (const std::uint32_t i : slice.others) {
    const Event& event = batch.events[i];
    if (event.kind == Kind::DumpObject) {
      if (!open_) {
        homeless_ += selects(selection_, batch, event);
        continue;
      }
      static constexpr event::DumpObject kUntold{};
      const auto& object = batch.details_or(event, kUntold);
      builder_.add(event.id, slice.names.class_index(object.class_id), object.size,
                   batch.list(object.refs));
    } else if (event.kind == Kind::Dump) {
      dump(slice, event);
    } else if (event.kind == Kind::Root && open_) {
      ++snapshots_.back().roots;
    }
  }
}

void Heap::dump(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Dump>(event, {});
  if (details.stage == event::DumpStage::end) return close(true);
  close(false);
  if (!selects(selection_, slice.batch, event)) return;
  HeapSnapshot& snapshot = snapshots_.emplace_back();
  snapshot.start = event.time;
  snapshot.name = details.name;
  open_ = true;
}

void Heap::close(bool complete) {
  if (!open_) return;
  snapshots_.back().complete = complete;
  builder_.finish(snapshots_.back());
  open_ = false;
}

void Heap::finish(const Names& names) {
  close(false);
  for (HeapSnapshot& snapshot : snapshots_) resolve(snapshot, names);
  builder_ = {};
}

std::vector<Table> Heap::tables(const Names& names, const TableOptions& options) const {
  Table list = snapshot_table(snapshots_, options);
  if (homeless_ > 0)
    list.notes.push_back(base::count_text(homeless_, "object belongs", "objects belong") +
                         " to no snapshot in the trace.");
  return {std::move(list), snapshot_classes(snapshots_, names, selection_, options),
          snapshot_growth(snapshots_, names, selection_, options),
          snapshot_references(snapshots_, names, selection_, options)};
}

std::vector<std::string> Heap::headlines(const Names& names) const {
  if (snapshots_.empty()) return {};
  const HeapSnapshot& first = snapshots_.front();
  const HeapSnapshot& last = snapshots_.back();
  std::vector<std::string> out{fmt::format(
      "{}; the last one holds {} in {}.",
      base::count_text(snapshots_.size(), "heap snapshot", "heap snapshots"),
      base::bytes_text(last.bytes), base::count_text(last.objects, "object", "objects"))};
  const ClassFigures* most = nullptr;
  std::uint64_t growth = 0;
  for (const ClassFigures& figures : last.classes) {
    const ClassFigures* before = find_class(first, figures.type);
    const std::uint64_t had = before == nullptr ? 0 : before->bytes;
    if (figures.bytes > had && figures.bytes - had > growth) {
      growth = figures.bytes - had;
      most = &figures;
    }
  }
  if (snapshots_.size() > 1 && most != nullptr)
    out.push_back(fmt::format("Between first and last snapshot {} grew most, by {}.",
                              names.class_name(most->type), base::bytes_text(growth)));
  return out;
}

}  // namespace

std::unique_ptr<Analysis> make_heap(const Selection& selection) {
  return std::make_unique<Heap>(selection);
}

}  // namespace polytrace::analysis
