// SPDX-License-Identifier: Apache-2.0
#include "analysis/collections.hpp"

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <bit>
#include <map>

#include "analysis/durations.hpp"
#include "analysis/pauses.hpp"
#include "analysis/rows.hpp"
#include "analysis/selected.hpp"
#include "analysis/text.hpp"

namespace polytrace::analysis {
namespace {

using base::kNoTime;
using base::Time;
using event::Event;
using event::GcPhase;
using event::Kind;

constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct Collection {
  std::uint32_t generation = kNone;
  std::uint32_t thread = kNone;
  Time start = kNoTime;
  Time end = kNoTime;                  // kNoTime: its end was not recorded
  Time resumed = kNoTime;              // the world ran again
  std::optional<std::uint64_t> pause;  // of the world
  std::uint64_t moved = 0;
};

struct Resize {
  Time time;
  std::uint64_t size;
};

struct Generation {
  std::uint64_t count = 0;
  Durations collecting;
};

// What a collecting thread is in the middle of.
struct Running {
  std::map<std::uint32_t, std::uint32_t> open;  // generation to index of its collection
  std::vector<std::uint32_t> nesting;           // open collections, innermost last
  std::vector<std::uint32_t> in_this_stop;      // collections since the world stopped
  Time stopped = kNoTime;
};

class Collections final : public Analysis {
 public:
  explicit Collections(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  void gc(const Slice& slice, const Event& event);
  void start(const Slice& slice, const Event& event, Running& running, std::uint32_t generation);
  void end(const Event& event, Running& running, std::uint32_t generation);
  void resumed(const Event& event, Running& running, std::uint32_t generation);
  void moved(const Slice& slice, const Event& event);
  Durations all_pauses() const;
  std::uint64_t size_at(Time time) const;  // of the heap; 0 = not known
  Table generations(const TableOptions& options) const;
  Table pauses(const TableOptions& options) const;
  Table histogram() const;
  Table utilisation(const Names& names) const;
  Table heap_size() const;
  Table list(const Names& names, const TableOptions& options) const;

  Selection selection_;
  std::vector<Collection> collections_;
  std::map<std::uint32_t, Generation> generations_;
  std::map<std::uint32_t, Durations> pauses_;       // by generation of the stop
  std::vector<Resize> resizes_;                     // in order of time after finish()
  tsl::robin_map<std::uint32_t, Running> running_;  // by thread index
  PauseFinder finder_;
  Pauses stops_;
  std::uint64_t moves_ = 0;
  std::uint64_t ends_without_start_ = 0;
};

void Collections::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const Event& event = slice.batch.events[i];
    if (event.kind != Kind::Gc && event.kind != Kind::HeapSize && event.kind != Kind::Move)
      continue;
    if (!selects(selection_, slice.batch, event)) continue;
    if (event.kind == Kind::Gc) gc(slice, event);
    else if (event.kind == Kind::Move) moved(slice, event);
    else if (const auto size = slice.batch.details_or<event::HeapSize>(event, {});
             size.generation.empty() && (size.total != 0 || size.used != 0))
      resizes_.push_back({event.time, size.total != 0 ? size.total : size.used});
  }
}

void Collections::gc(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Gc>(event, {});
  finder_.add(slice.threads[event.thread], event.time, details.phase);
  Running& running = running_[slice.threads[event.thread]];
  switch (details.phase) {
    case GcPhase::start: return start(slice, event, running, details.generation);
    case GcPhase::end: return end(event, running, details.generation);
    case GcPhase::world_stopped:
      running.stopped = event.time;
      running.in_this_stop.clear();
      return;
    case GcPhase::world_started: return resumed(event, running, details.generation);
    default: return;
  }
}

// A second start of a generation on the same thread: the first never ended.
void Collections::start(const Slice& slice, const Event& event, Running& running,
                        std::uint32_t generation) {
  const auto index = static_cast<std::uint32_t>(collections_.size());
  if (const auto lost = running.open.find(generation); lost != running.open.end())
    std::erase(running.nesting, lost->second);
  running.open[generation] = index;
  running.nesting.push_back(index);
  if (running.stopped != kNoTime) running.in_this_stop.push_back(index);
  Collection& collection = collections_.emplace_back();
  collection.generation = generation;
  collection.thread = slice.threads[event.thread];
  collection.start = event.time;
  ++generations_[generation].count;
}

// Where the end does not tell the generation, it is that of the collection begun last.
void Collections::end(const Event& event, Running& running, std::uint32_t generation) {
  const auto open = running.open.find(generation == kNone && !running.nesting.empty()
                                          ? collections_[running.nesting.back()].generation
                                          : generation);
  if (open == running.open.end()) {
    ++ends_without_start_;
    return;
  }
  Collection& collection = collections_[open->second];
  collection.end = event.time;
  generations_[collection.generation].collecting.add(elapsed(collection.start, event.time));
  std::erase(running.nesting, open->second);
  running.open.erase(open);
}

void Collections::resumed(const Event& event, Running& running, std::uint32_t generation) {
  if (running.stopped == kNoTime) return;
  const std::uint64_t pause = elapsed(running.stopped, event.time);
  pauses_[generation].add(pause);
  for (const std::uint32_t index : running.in_this_stop) {
    collections_[index].pause = pause;
    collections_[index].resumed = event.time;
  }
  running.stopped = kNoTime;
  running.in_this_stop.clear();
}

// Objects move inside a collection, or after it while the world still stands.
void Collections::moved(const Slice& slice, const Event& event) {
  ++moves_;
  const auto found = running_.find(slice.threads[event.thread]);
  if (found == running_.end()) return;
  const Running& running = found->second;
  const auto& candidates = running.nesting.empty() ? running.in_this_stop : running.nesting;
  if (!candidates.empty()) ++collections_[candidates.back()].moved;
}

void Collections::finish(const Names&) {
  std::ranges::stable_sort(resizes_, {}, &Resize::time);
  std::ranges::stable_sort(collections_, {}, &Collection::start);
  running_.clear();
  stops_ = finder_.take();
}

std::uint64_t Collections::size_at(Time time) const {
  const auto after = std::ranges::upper_bound(resizes_, time, {}, &Resize::time);
  return after == resizes_.begin() ? 0 : std::prev(after)->size;
}

Durations Collections::all_pauses() const {
  Durations out;
  for (const auto& [generation, pauses] : pauses_) out.merge(pauses);
  return out;
}

Cell generation_cell(std::uint32_t generation) {
  if (generation == kNone) return {};
  return std::uint64_t{generation};
}

std::vector<ColumnInfo> duration_columns() {
  return {{"generation", "Generation", Unit::none},  {"count", "Count", Unit::count},
          {"total", "Total", Unit::nanoseconds},     {"longest", "Longest", Unit::nanoseconds},
          {"average", "Average", Unit::nanoseconds}, {"p50", "p50", Unit::nanoseconds},
          {"p95", "p95", Unit::nanoseconds},         {"p99", "p99", Unit::nanoseconds}};
}

std::vector<Cell> duration_row(std::uint32_t generation, std::uint64_t count,
                               const Durations& durations) {
  return {generation_cell(generation),
          count,
          durations.total(),
          durations.longest(),
          average(durations.total(), durations.count()),
          durations.percentile(50),
          durations.percentile(95),
          durations.percentile(99)};
}

Table Collections::generations(const TableOptions& options) const {
  Table table = make_table("collection_generations", "collections", "Collections by generation",
                           duration_columns());
  std::uint64_t unfinished = 0;
  for (const auto& [number, generation] : generations_) {
    table.rows.push_back(duration_row(number, generation.count, generation.collecting));
    unfinished += generation.count - generation.collecting.count();
  }
  if (unfinished > 0)
    table.notes.push_back(
        fmt::format("{} of these have no recorded end and no time here.", unfinished));
  if (ends_without_start_ > 0)
    table.notes.push_back(
        fmt::format("{} more ended whose start was not recorded.", ends_without_start_));
  sort_and_limit(table, options, "");
  return table;
}

Table Collections::pauses(const TableOptions& options) const {
  Table table = make_table("collection_pauses", "collections",
                           "Pauses: the world stopped for a collection", duration_columns());
  for (const auto& [number, pauses] : pauses_)
    table.rows.push_back(duration_row(number, pauses.count(), pauses));
  sort_and_limit(table, options, "");
  return table;
}

// By powers of two.
Table Collections::histogram() const {
  Table table = make_table("pause_histogram", "collections", "Pauses by length",
                           {{"from", "From", Unit::nanoseconds},
                            {"below", "Below", Unit::nanoseconds},
                            {"pauses", "Pauses", Unit::count},
                            {"share", "Pauses %", Unit::percent},
                            {"total", "Total", Unit::nanoseconds}});
  std::map<unsigned, std::pair<std::uint64_t, std::uint64_t>> buckets;
  for (const Pauses::Pause& pause : stops_.all) {
    const std::uint64_t length = elapsed(pause.start, pause.end);
    auto& [count, total] = buckets[static_cast<unsigned>(std::bit_width(length))];
    ++count;
    total += length;
  }
  for (const auto& [width, bucket] : buckets) {
    const std::uint64_t from = std::uint64_t{1} << (width - 1);
    table.rows.push_back({from, width == 64 ? Cell{} : Cell{from * 2}, bucket.first,
                          share(bucket.first, stops_.all.size()), bucket.second});
  }
  return table;
}

Table Collections::utilisation(const Names& names) const {
  Table table =
      make_table("mutator_utilisation", "collections", "What collections leave to the program",
                 {{"window", "In any", Unit::nanoseconds}, {"least", "At least %", Unit::percent}});
  Time first = kNoTime;
  Time last = kNoTime;
  for (const ThreadInfo& thread : names.threads()) {
    if (thread.events == 0 || thread.id == base::kNoId) continue;
    first = first == kNoTime ? thread.first : std::min(first, thread.first);
    last = std::max(last, thread.last);
  }
  if (stops_.all.empty() || first == kNoTime) return table;
  first = std::max(first, selection_.from);
  last = std::min(last, selection_.to);
  for (std::uint64_t unit = 1'000'000; unit <= 10'000'000'000; unit *= 10)
    for (const std::uint64_t times : {1U, 2U, 5U})
      if (const auto least = least_utilisation(stops_, unit * times, first, last))
        table.rows.push_back({unit * times, *least * 100});
  return table;
}

Table Collections::heap_size() const {
  Table table = make_table("heap_size", "collections", "Heap size",
                           {{"resizes", "Resizes", Unit::count},
                            {"first", "First", Unit::bytes},
                            {"last", "Last", Unit::bytes},
                            {"largest", "Largest", Unit::bytes},
                            {"moved", "Objects moved", Unit::count}});
  if (resizes_.empty() && moves_ == 0) return table;
  if (resizes_.empty()) {
    table.rows.push_back({std::uint64_t{0}, {}, {}, {}, moves_});
    return table;
  }
  table.rows.push_back({std::uint64_t{resizes_.size()}, resizes_.front().size, resizes_.back().size,
                        std::ranges::max(resizes_, {}, &Resize::size).size, moves_});
  return table;
}

Cell size_cell(std::uint64_t size) {
  if (size == 0) return {};
  return size;
}

Table Collections::list(const Names& names, const TableOptions& options) const {
  Table table = make_table("collections", "collections", "Collections in order of time",
                           {{"start", "Start", Unit::time},
                            {"generation", "Generation", Unit::none},
                            {"duration", "Duration", Unit::nanoseconds},
                            {"pause", "Pause", Unit::nanoseconds},
                            {"heap_before", "Heap before", Unit::bytes},
                            {"heap_after", "Heap after", Unit::bytes},
                            {"moved", "Moved", Unit::count},
                            {"thread", "Thread", Unit::none}});
  for (const Collection& c : collections_) {
    const Time done = c.resumed != kNoTime ? c.resumed : c.end;
    const bool ended = c.end != kNoTime;
    std::string thread = c.thread == kNone ? "" : names.thread_name(c.thread);
    if (!keeps(selection_, thread)) continue;
    table.rows.push_back(
        {c.start, generation_cell(c.generation), ended ? Cell{elapsed(c.start, c.end)} : Cell{},
         c.pause ? Cell{*c.pause} : Cell{}, size_cell(size_at(c.start)),
         done != kNoTime ? size_cell(size_at(done)) : Cell{}, c.moved, std::move(thread)});
  }
  sort_and_limit(table, options, "");
  return table;
}

std::vector<Table> Collections::tables(const Names& names, const TableOptions& options) const {
  return {generations(options), pauses(options), histogram(),
          utilisation(names),   heap_size(),     list(names, options)};
}

std::vector<std::string> Collections::headlines(const Names&) const {
  if (collections_.empty()) return {};
  const Durations pauses = all_pauses();
  std::string text = count_text(collections_.size(), "collection", "collections");
  if (pauses.count() > 0)
    return {fmt::format("{} stopped the program for {} in all, at most {} at once.", text,
                        duration_text(pauses.total()), duration_text(pauses.longest()))};
  Durations collecting;
  for (const auto& [number, generation] : generations_) collecting.merge(generation.collecting);
  return {fmt::format("{} took {} in all, the longest {}.", text, duration_text(collecting.total()),
                      duration_text(collecting.longest()))};
}

}  // namespace

std::unique_ptr<Analysis> make_collections(const Selection& selection) {
  return std::make_unique<Collections>(selection);
}

}  // namespace polytrace::analysis
