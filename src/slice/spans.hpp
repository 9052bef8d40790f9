// SPDX-License-Identifier: Apache-2.0
// What lasts a while and is no call: which event begins which span, and which one ends it. Streams
// may lack either end, and an end may stand in the stream of another thread than its start. One
// thread at a time.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/seeded_hash.hpp"
#include "event/batch.hpp"
#include "slice/names.hpp"

namespace polytrace::slice {

enum class SpanKind : std::uint8_t {
  collection,  // subject: its generation, kNoId where that is not told
  stop,        // of the world; no subject
  compilation,
  code_search,  // for code that was compiled before
  class_load,
  lock,             // waiting for it; subject: the object
  wait,             // for a signal or a time; subject: the object
  finalizer_round,  // no subject
  finalizer,        // subject: the object
};

// What an event says of a span.
struct SpanEdge {
  enum class Way : std::uint8_t { begin, end, failed };
  SpanKind kind;
  Way way;
  base::Id subject = base::kNoId;  // of compilations the method, of class loads the class

  bool begins() const { return way == Way::begin; }
  bool fails() const { return way == Way::failed; }
};
// Empty where it is about no span. The others say it of an event by its details and subject.
std::optional<SpanEdge> span_edge(const event::Batch& batch, const event::Event& event);
std::optional<SpanEdge> span_edge(const event::Gc& gc);
std::optional<SpanEdge> span_edge(event::JitStage stage, base::Id method);
std::optional<SpanEdge> span_edge(event::LoadStage stage, base::Id type);
std::optional<SpanEdge> span_edge(event::MonitorStage stage, base::Id object);
std::optional<SpanEdge> span_edge(event::WaitStage stage, base::Id object);
std::optional<SpanEdge> span_edge(event::FinalizeStage stage, base::Id object);

// Of spans that do not nest: one at a time. A second start says that the first never ended.
class LoneSpan {
 public:
  void begin(base::Time time) { start_ = time; }
  // When it began; kNoTime, nothing was open.
  base::Time end() { return std::exchange(start_, base::kNoTime); }
  bool is_open() const { return start_ != base::kNoTime; }

 private:
  base::Time start_ = base::kNoTime;
};

// Of spans that nest in a thread. An end is that of the innermost span with its subject; what is
// inside of that never ended. Span has `subject`.
template <class Span>
class NestedSpans {
 public:
  // The depth is bounded: false, and nothing is kept.
  bool begin(const Span& span) {
    if (open_.size() == kDeepest) return false;
    open_.push_back(span);
    return true;
  }
  // The span that ends; empty where none is open. cut(span, depth) is called for those inside of
  // it, innermost first.
  template <class Subject, class Cut>
  std::optional<Span> end(const Subject& subject, Cut cut) {
    const auto begun = std::ranges::find(open_.rbegin(), open_.rend(), subject, &Span::subject);
    if (begun == open_.rend()) return {};
    for (const auto last = std::prev(begun.base()); last != std::prev(open_.end());
         open_.pop_back())
      cut(open_.back(), open_.size() - 1);
    Span span = std::move(open_.back());
    open_.pop_back();
    return span;
  }
  template <class Subject>
  std::optional<Span> end(const Subject& subject) {
    return end(subject, [](const Span&, std::size_t) {});
  }
  bool empty() const { return open_.empty(); }
  // Outermost first.
  const std::vector<Span>& open() const { return open_; }

 private:
  static constexpr std::size_t kDeepest = 1024;
  std::vector<Span> open_;  // innermost last
};

inline constexpr std::uint32_t kNoGeneration = ~std::uint32_t{0};

struct Collection {
  std::uint32_t generation = kNoGeneration;
  std::uint32_t thread = 0;
  base::Id number = 0;  // 0 = none
  base::Time start = base::kNoTime;
  base::Time end = base::kNoTime;      // kNoTime: its end was not recorded
  base::Time resumed = base::kNoTime;  // the world ran again
  // Of the world: the stops in which it ran; of one that others ran in, too, its own part.
  std::optional<std::uint64_t> pause;
  std::uint64_t moved = 0;
  std::uint32_t site = NameTable::kNone;  // the recorded call that its thread was in
  std::string reason{};                   // in the recorder's words
};

// When the world stood still, once, and the collections that ran meanwhile.
struct WorldStop {
  enum class Part : std::uint8_t { whole, begin, end };
  struct Ran {
    std::uint32_t generation;
    Part part;
  };
  base::Time asked = base::kNoTime;  // the world was asked to stop; kNoTime: not told
  base::Time from = base::kNoTime;   // it stood
  base::Time to = base::kNoTime;     // it ran again
  std::vector<Ran> ran{};
};

// The collections of a trace, each from its start to its end. Where they have numbers, an end is
// that of its number, on whatever thread, and may come before the start: a file has one thread
// after the other. Without numbers it is that of its thread's open collection of the generation,
// else of the oldest one that is still open on any thread: concurrent ones end where they end.
class CollectionSpans {
 public:
  struct Stop {
    std::uint32_t generation;
    std::uint64_t length;  // nanoseconds
  };
  // Each thread's events in their order. `site`: the recorded call around the event, kNone where
  // that is not known. The stop of the world that it ends, if it does.
  std::optional<Stop> add(std::uint32_t thread, const event::Event& event, const event::Gc& details,
                          std::uint32_t site);
  // Objects move inside a collection, or after it while the world still stands.
  void moved(std::uint32_t thread, std::uint64_t objects = 1);
  // Once, after the last.
  void finish();

  // After finish(), by start.
  const std::vector<Collection>& all() const { return all_; }
  const std::vector<WorldStop>& world_stops() const { return world_stops_; }
  std::uint64_t ends_without_start() const { return ends_without_start_; }

 private:
  // What tells open collections apart: the number, or else the generation.
  struct Key {
    base::Id number;
    std::uint32_t generation;
    auto operator<=>(const Key&) const = default;
  };
  // What a collecting thread is in the middle of.
  struct Running {
    std::map<Key, std::uint32_t> open;         // index of the collection
    std::vector<std::uint32_t> nesting;        // open collections, innermost last
    std::vector<std::uint32_t> in_this_stop;   // collections that began since the world stopped
    std::vector<std::uint32_t> ended_in_stop;  // those that ended since, and had begun before
    base::Time asked = base::kNoTime;          // to stop
    LoneSpan stop;
  };
  // Told by number, to be found in the end.
  struct Later {
    base::Id number;
    base::Time from;  // of a stop
    base::Time to;
  };
  // Without a number, on a thread where nothing of it is open.
  struct Stray {
    base::Time time;
    std::uint32_t generation;
  };

  void start(std::uint32_t thread, base::Time time, Key key, const event::Gc& details,
             std::uint32_t site);
  void end(Running& running, base::Time time, Key key);
  std::optional<Stop> resumed(Running& running, base::Time time, Key key);
  void add_stop(const Running& running, WorldStop stop, Key key);
  void add_pause(std::uint32_t index, base::Time from, base::Time to, bool alone);
  void end_elsewhere();
  // The collection that is meant; null: none.
  Collection* at(const Later& told);

  std::vector<Collection> all_;
  base::IdMap<Running> running_;  // by thread
  std::vector<Later> ends_;
  std::vector<Stray> strays_;
  std::vector<Later> stops_;
  std::vector<WorldStop> world_stops_;
  std::multimap<base::Id, std::uint32_t> numbered_;
  std::uint64_t ends_without_start_ = 0;
};

}  // namespace polytrace::slice
