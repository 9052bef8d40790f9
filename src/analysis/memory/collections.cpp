// SPDX-License-Identifier: Apache-2.0
// Garbage collections: per generation how many and how long, how long the world stood still, what
// they did to the heap's size, and each one in order of time.
// Tables: collection_generations, collection_pauses, longest_pauses, heap_size, collections.
#include <fmt/format.h>

#include <bit>
#include <map>

#include "analysis/memory/allocation_log.hpp"
#include "analysis/samples/allocation_stacks.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/durations.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/call_site.hpp"
#include "slice/names.hpp"
#include "slice/pauses.hpp"
#include "slice/spans.hpp"

namespace polytrace::analysis {
namespace {

using base::kNoTime;
using base::Time;
using event::Event;
using event::Kind;

struct Resize {
  Time time;
  std::uint64_t size;
};

// What is in use, or, where that is not told, what the collector holds.
std::uint64_t size_of(const event::HeapSize& size) {
  return size.used != 0 ? size.used : size.total;
}

struct Generation {
  std::uint64_t count = 0;
  Durations collecting;  // of those whose end is recorded
  Amount amount() const { return {count, collecting.total()}; }
};

class Collections final : public Analysis {
 public:
  explicit Collections(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  Figures figures(const Names& names) const override;  // time of generations
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  void resized(Time time, const event::HeapSize& size);
  Durations all_pauses() const;
  std::uint64_t size_after(const Collection& collection) const;
  std::uint64_t size_at(Time time) const;  // of the heap; 0 = not known
  Table causes(const Names& names, const TableOptions& options) const;
  Table generations(const Names& names, const TableOptions& options) const;
  Table pauses(const TableOptions& options) const;
  Table longest_pauses(const TableOptions& options) const;
  Table histogram() const;
  Table utilisation(const Names& names) const;
  Table heap_size() const;
  Table list(const Names& names, const TableOptions& options) const;

  Selection selection_;
  CollectionSpans spans_;
  std::map<std::uint32_t, Durations> pauses_;  // of stops, by their generation
  std::map<std::uint32_t, Generation> generations_;
  std::vector<Resize> resizes_;       // in order of time after finish()
  base::IdMap<std::uint64_t> sizes_;  // behind the collection of a number
  bool only_capacity_ = false;        // of some resize nothing else is told
  AllocationLog log_;
  std::vector<AllocationLog::Interval> allocated_;  // before each collection, after finish()
  PauseFinder finder_;
  Pauses stops_;
  std::uint64_t moves_ = 0;
};

void Collections::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const Event& event = slice.batch.events[i];
    if (!selects(selection_, slice.batch, event)) continue;
    const std::uint32_t thread = slice.threads[event.thread];
    if (event.kind == Kind::Gc) {
      const auto details = slice.batch.details_or<event::Gc>(event, {});
      finder_.add(thread, event.time, details.phase);
      if (const auto stop = spans_.add(thread, event, details, call_around(slice, i)))
        pauses_[stop->generation].add(stop->length);
    } else if (event.kind == Kind::Move) {
      ++moves_;
      spans_.moved(thread);
    } else if (event.kind == Kind::HeapSize) {
      const auto size = slice.batch.details_or<event::HeapSize>(event, {});
      if (size.generation.empty() && size_of(size) != 0) resized(event.time, size);
    } else if (event.kind == Kind::Alloc) {
      const auto alloc = slice.batch.details_or<event::Alloc>(event, {});
      log_.add(event.time, site_of(slice, i, alloc.stack), allocated(alloc).weight);
    } else if (event.kind == Kind::AllocSummary) {
      const auto sum = slice.batch.details_or<event::AllocSummary>(event, {});
      log_.add(event.time, site_of(slice, i, sum.stack), sum.bytes);
    }
  }
}

void Collections::resized(Time time, const event::HeapSize& size) {
  only_capacity_ |= size.used == 0;
  resizes_.push_back({time, size_of(size)});
  if (size.collection != 0 && size.collection != base::kNoId)
    sizes_[size.collection] = resizes_.back().size;
}

void Collections::finish(const Names&) {
  std::ranges::stable_sort(resizes_, {}, &Resize::time);
  spans_.finish();
  for (const Collection& collection : spans_.all()) {
    Generation& generation = generations_[collection.generation];
    ++generation.count;
    if (collection.end != kNoTime)
      generation.collecting.add(base::elapsed(collection.start, collection.end));
  }
  stops_ = finder_.take();
  std::vector<Time> starts;
  for (const Collection& collection : spans_.all()) starts.push_back(collection.start);
  allocated_ = log_.until(starts);
}

std::uint64_t Collections::size_at(Time time) const {
  const auto after = std::ranges::upper_bound(resizes_, time, {}, &Resize::time);
  return after == resizes_.begin() ? 0 : std::prev(after)->size;
}

std::uint64_t Collections::size_after(const Collection& collection) const {
  if (const auto told = sizes_.find(collection.number); told != sizes_.end()) return told->second;
  const Time done = collection.resumed != kNoTime ? collection.resumed : collection.end;
  return done != kNoTime ? size_at(done) : 0;
}

Durations Collections::all_pauses() const {
  Durations out;
  for (const auto& [generation, pauses] : pauses_) out.merge(pauses);
  return out;
}

// Where stops are told apart from collections, what was stopped for it; else all of it, if at all.
std::uint64_t stopped_by(const Collection& collection) {
  if (collection.pause) return *collection.pause;
  return collection.end == kNoTime ? 0 : base::elapsed(collection.start, collection.end);
}

Cell generation_cell(std::uint32_t generation) {
  if (generation == kNoGeneration) return {};
  return std::uint64_t{generation};
}

std::vector<ColumnInfo> duration_columns() {
  return {{"generation", "Generation", Unit::none},  {"count", "Count", Unit::count},
          {"total", "Total", Unit::nanoseconds},     {"longest", "Longest", Unit::nanoseconds},
          {"average", "Average", Unit::nanoseconds}, {"p50", "p50", Unit::nanoseconds},
          {"p95", "p95", Unit::nanoseconds},         {"p99", "p99", Unit::nanoseconds}};
}

std::vector<Cell> duration_row(std::uint32_t generation, const Amount& amount,
                               const Durations& durations) {
  return {generation_cell(generation),
          amount.count,
          amount.weight,
          durations.longest(),
          average(durations.total(), durations.count()),
          durations.percentile(50),
          durations.percentile(95),
          durations.percentile(99)};
}

// Those that happened for one reason, at one place.
struct Cause {
  std::uint64_t count = 0;
  std::uint64_t stopped = 0;
  std::uint64_t allocated = 0;
  AllocationLog::BySite sites;  // bytes where most were allocated
};

Table Collections::causes(const Names& names, const TableOptions& options) const {
  Table table = make_table("collection_causes", "collections", "Why the heap was collected",
                           {{"count", "Count", Unit::count},
                            {"stopped", "Stopped", Unit::nanoseconds},
                            {"reason", "Reason", Unit::none},
                            {"during", "During", Unit::none},
                            {"allocated", "Allocated before", Unit::bytes},
                            {"mostly_at", "Mostly at", Unit::none}});
  std::map<std::pair<std::string_view, std::uint32_t>, Cause> causes;
  for (std::size_t i = 0; i < spans_.all().size(); ++i) {
    const Collection& collection = spans_.all()[i];
    Cause& cause = causes[{collection.reason, collection.site}];
    ++cause.count;
    cause.stopped += stopped_by(collection);
    cause.allocated += allocated_[i].bytes;
    if (allocated_[i].site != NameTable::kNone)
      cause.sites[allocated_[i].site] += allocated_[i].bytes;
  }
  bool told = !log_.empty();
  for (const auto& [key, cause] : causes) {
    const auto& [reason, during] = key;
    told |= !reason.empty() || during != NameTable::kNone;
    table.rows.push_back({cause.count, cause.stopped,
                          reason.empty() ? Cell{} : Cell{std::string(reason)},
                          method_cell(names, during), log_.empty() ? Cell{} : Cell{cause.allocated},
                          method_cell(names, AllocationLog::heaviest(cause.sites))});
  }
  if (!told) table.rows.clear();
  if (log_.inexact() != 0)
    table.notes.push_back("What was allocated before a collection is right to within " +
                          base::duration_text(log_.inexact()) + ".");
  sort_and_limit(table, options, "count");
  return table;
}

Figures Collections::figures(const Names&) const {
  Figures figures{Unit::nanoseconds};
  for (const auto& [number, generation] : generations_)
    figures.all.push_back({number == kNoGeneration ? "(not told)" : fmt::format("{}", number),
                           generation.amount(), number});
  return figures;
}

Table Collections::generations(const Names& names, const TableOptions& options) const {
  Table table = make_table("collection_generations", "collections", "Collections by generation",
                           duration_columns());
  std::uint64_t unfinished = 0;
  const Figures by_generation = figures(names);
  for (const Figure& figure : by_generation.all) {
    const Durations& collecting = generations_.find(figure.index)->second.collecting;
    table.rows.push_back(duration_row(figure.index, figure.amount, collecting));
    unfinished += figure.amount.count - collecting.count();
  }
  if (unfinished > 0)
    table.notes.push_back(fmt::format("{} of these have no recorded end and no time here.",
                                      base::count_text(unfinished)));
  if (spans_.ends_without_start() > 0)
    table.notes.push_back(fmt::format("{} more ended whose start was not recorded.",
                                      base::count_text(spans_.ends_without_start())));
  sort_and_limit(table, options, "");
  return table;
}

Table Collections::pauses(const TableOptions& options) const {
  Table table = make_table("collection_pauses", "collections",
                           "Pauses: the world stopped for a collection", duration_columns());
  for (const auto& [number, pauses] : pauses_)
    table.rows.push_back(duration_row(number, {pauses.count(), pauses.total()}, pauses));
  sort_and_limit(table, options, "");
  return table;
}

std::string text_of(const WorldStop& stop) {
  constexpr std::string_view kParts[] = {"", "begin of ", "end of "};  // by WorldStop::Part
  std::string text;
  for (const WorldStop::Ran& ran : stop.ran) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", kParts[static_cast<unsigned>(ran.part)]);
    if (ran.generation == kNoGeneration) text += "a collection";
    else text += fmt::format("generation {}", ran.generation);
  }
  return text;
}

Table Collections::longest_pauses(const TableOptions& options) const {
  Table table = make_table("longest_pauses", "collections", "Longest pauses",
                           {{"start", "Start", Unit::time},
                            {"pause", "Pause", Unit::nanoseconds},
                            {"stopping", "To stop", Unit::nanoseconds},
                            {"ran", "What ran", Unit::none}});
  for (const WorldStop& stop : spans_.world_stops()) {
    std::string ran = text_of(stop);
    table.rows.push_back(
        {stop.from, base::elapsed(stop.from, stop.to),
         stop.asked == kNoTime ? Cell{} : Cell{base::elapsed(stop.asked, stop.from)},
         ran.empty() ? Cell{} : Cell{std::move(ran)}});
  }
  sort_and_limit(table, options, "pause");
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
    const std::uint64_t length = base::elapsed(pause.start, pause.end);
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
      make_table("mutator_utilisation", "collections",
                 "Minimum mutator utilisation (MMU): what collections leave",
                 {{"window", "In any", Unit::nanoseconds}, {"least", "At least %", Unit::percent}});
  const Extent extent = extent_of(names);
  if (stops_.all.empty() || extent.first == kNoTime) return table;
  const Time first = std::max(extent.first, selection_.from);
  const Time last = std::min(extent.last, selection_.to);
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
  if (only_capacity_)
    table.notes.emplace_back("Sizes are what the collector holds: what is in use was not told.");
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
                            {"reason", "Reason", Unit::none},
                            {"during", "During", Unit::none},
                            {"allocated", "Allocated before", Unit::bytes},
                            {"mostly_at", "Mostly at", Unit::none},
                            {"thread", "Thread", Unit::none}});
  for (std::size_t i = 0; i < spans_.all().size(); ++i) {
    const Collection& c = spans_.all()[i];
    const AllocationLog::Interval& made = allocated_[i];
    const bool ended = c.end != kNoTime;
    std::string thread = c.thread == NameTable::kNone ? "" : names.thread_name(c.thread);
    if (!keeps(selection_, thread)) continue;
    table.rows.push_back({c.start, generation_cell(c.generation),
                          ended ? Cell{base::elapsed(c.start, c.end)} : Cell{},
                          c.pause ? Cell{*c.pause} : Cell{}, size_cell(size_at(c.start)),
                          size_cell(size_after(c)), c.moved,
                          c.reason.empty() ? Cell{} : Cell{c.reason}, method_cell(names, c.site),
                          log_.empty() ? Cell{} : Cell{made.bytes}, method_cell(names, made.site),
                          std::move(thread)});
  }
  sort_and_limit(table, options, "");
  return table;
}

std::vector<Table> Collections::tables(const Names& names, const TableOptions& options) const {
  return {causes(names, options),
          generations(names, options),
          pauses(options),
          longest_pauses(options),
          histogram(),
          utilisation(names),
          heap_size(),
          list(names, options)};
}

std::vector<std::string> Collections::headlines(const Names&) const {
  if (spans_.all().empty()) return {};
  const Durations pauses = all_pauses();
  std::string text = base::count_text(spans_.all().size(), "collection", "collections");
  if (pauses.count() > 0)
    return {fmt::format("{} stopped the program for {} in all, at most {} at once.", text,
                        base::duration_text(pauses.total()),
                        base::duration_text(pauses.longest()))};
  Durations collecting;
  for (const auto& [number, generation] : generations_) collecting.merge(generation.collecting);
  return {fmt::format("{} took {} in all, the longest {}.", text,
                      base::duration_text(collecting.total()),
                      base::duration_text(collecting.longest()))};
}

}  // namespace

std::shared_ptr<Analysis> make_collections(const Shared& shared) {
  return std::make_shared<Collections>(shared.selection);
}

}  // namespace polytrace::analysis
