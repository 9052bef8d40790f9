// SPDX-License-Identifier: Apache-2.0
// Heap snapshots: what lived, what grew, and who refers to what.
// Tables: heap_snapshots, heap_classes, heap_growth, heap_references. A snapshot is selected by its
// start; all of it counts then. Suspects take the memory of a graph (heap/graph/graph.hpp), so
// large snapshots have none here.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/heap/questions.hpp"
#include "analysis/heap/study.hpp"
#include "analysis/heap/tables.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/words.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;

class Heap final : public Analysis {
 public:
  explicit Heap(const Shared& shared)
      : selection_(shared.selection), has_suspects_(shared.tells_suspects) {
    if (shared.objects == HeapObjects::may_be_bare) allocated_.emplace();
  }

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  Figures figures(const Names& names) const override;  // bytes of classes
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<Suspect> suspects(const Names& names) const override;

 private:
  // Of one complete snapshot.
  struct Studied {
    HeapGraph graph{};
    bool too_large = false;
  };

  void object(const Slice& slice, const Event& event);
  void root(const Slice& slice, const Event& event);
  void limit_graph();
  // Takes what allocated_ joins. One that is new is an object although it has no size.
  auto joined() {
    return [this](base::Id id, std::uint32_t type, std::uint64_t size,
                  std::span<const event::Ref> references, bool) {
      builder_.add(id, type, size, references);
      if (has_suspects_ && !too_large_) graph_.add(id, type, size, references), limit_graph();
    };
  }
  void dump(const Slice& slice, const Event& event);
  void close(bool complete);

  Selection selection_;
  SnapshotBuilder builder_;
  std::vector<HeapSnapshot> snapshots_;
  bool open_ = false;                          // the last of snapshots_ is being read
  std::uint64_t homeless_ = 0;                 // objects outside any snapshot
  std::uint64_t bare_ = 0;                     // objects without class and size
  std::optional<AllocatedObjects> allocated_;  // which have them, where objects may be bare
  bool has_suspects_;
  SnapshotGraph graph_;
  ThreadStacks stacks_;
  bool too_large_ = false;  // the open snapshot: it has no graph
  Studied last_;            // of the complete ones
};

// What a report may take beside its tables: 300 MB and a few seconds.
constexpr std::uint64_t kMostObjects = 5'000'000;
constexpr std::string_view kTooLarge =
    "The last complete snapshot has more than 5 million objects: polytrace heap says what keeps "
    "them alive";
// Of a snapshot, and of a suspect.
constexpr std::uint64_t kSmall = 64 * 1024;

void Heap::consume(const Slice& slice) {
  const event::Batch& batch = slice.batch;
  for (const std::uint32_t i : slice.others) {
    const Event& event = batch.events[i];
    if (allocated_) allocated_->take(slice, event);
    if (event.kind == Kind::DumpObject) {
      if (!open_) {
        homeless_ += selects(selection_, batch, event);
        continue;
      }
      object(slice, event);
    } else if (event.kind == Kind::Dump) {
      dump(slice, event);
    } else if (event.kind == Kind::Root && open_) {
      root(slice, event);
    } else if ((event.kind == Kind::Sample || event.kind == Kind::Method) && has_suspects_) {
      stacks_.take(slice, event);
    } else if (event.kind == Kind::RootRegion && has_suspects_) {
      graph_.region(event, batch.details_or<event::RootRegion>(event, {}));
    }
  }
}

void Heap::object(const Slice& slice, const Event& event) {
  static constexpr event::DumpObject kUntold{};
  const auto& object = slice.batch.details_or(event, kUntold);
  if (allocated_ && allocated_->join(slice, event, joined())) return;
  bare_ += object.class_id == base::kNoId && object.size == 0;
  builder_.add(event.id, slice.names.class_index(object.class_id), object.size,
               slice.batch.list(object.refs));
  if (has_suspects_ && !too_large_) graph_.object(slice, event), limit_graph();
}

void Heap::root(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Root>(event, {});
  ++snapshots_.back().roots;
  if (allocated_ && details.class_id != base::kNoId)
    allocated_->join(event.id, slice.names, details.class_id, {}, joined());
  if (has_suspects_) graph_.root(event, details);
}

void Heap::limit_graph() {
  too_large_ = graph_.objects() > kMostObjects;
  if (too_large_) graph_.drop();
}

void Heap::dump(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Dump>(event, {});
  if (details.stage == event::DumpStage::end) return close(true);
  close(false);
  if (!selects(selection_, slice.batch, event)) return;
  if (allocated_) allocated_->begin_snapshot();
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
  if (!has_suspects_) return;
  Studied studied{graph_.finish(), std::exchange(too_large_, false)};
  if (complete) last_ = std::move(studied);
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
  if (bare_ > 0)
    list.notes.push_back(base::count_text(bare_, "object tells", "objects tell") +
                         " references alone: polytrace heap joins them with their allocations.");
  if (last_.too_large) list.notes.push_back(fmt::format("{}.", kTooLarge));
  return {std::move(list), snapshot_classes(snapshots_, names, selection_, options),
          snapshot_growth(snapshots_, names, selection_, options),
          snapshot_references(snapshots_, names, selection_, options)};
}

// Of the last snapshot that has any.
Figures Heap::figures(const Names& names) const {
  for (auto snapshot = snapshots_.rbegin(); snapshot != snapshots_.rend(); ++snapshot)
    if (Figures figures = class_figures(*snapshot, names, selection_); !figures.all.empty())
      return figures;
  return {Unit::bytes};
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

std::vector<Suspect> Heap::suspects(const Names& names) const {
  if (last_.too_large) return {{"full heap", "the last snapshot", std::string(kTooLarge)}};
  if (last_.graph.bytes() < kSmall) return {};
  const Dominators dominators = Dominators::of(last_.graph);
  std::vector<HeapSuspect> suspects =
      heap_suspects({last_.graph, dominators, names, nullptr, &stacks_});
  if (suspects.empty() || suspects.front().retained < kSmall) return {};
  HeapSuspect& first = suspects.front();
  return {{"full heap", std::move(first.name),
           fmt::format("retains {}, {} of the heap: {}", base::bytes_text(first.retained),
                       share_text(first.retained, dominators.reached_bytes()), first.reason)}};
}

}  // namespace

std::shared_ptr<Analysis> make_heap(const Shared& shared) { return std::make_shared<Heap>(shared); }

}  // namespace polytrace::analysis
