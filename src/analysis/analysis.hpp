// SPDX-License-Identifier: Apache-2.0
// The common shape of an analysis: fed with slices of batches, asked for tables at the end. One
// file per question. Instances are used by one thread at a time.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/names.hpp"
#include "analysis/table.hpp"
#include "event/batch.hpp"
#include "event/choice/name_choice.hpp"
#include "event/choice/thread_choice.hpp"

namespace polytrace::analysis {

// When the world stood still for collections: in order, apart from each other.
struct Pauses {
  struct Pause {
    base::Time start;
    base::Time end;
    std::uint64_t before;  // nanoseconds of all pauses before
  };
  std::vector<Pause> all;
};

// What of the trace counts. Definitions always do.
struct Selection {
  base::Time from = std::numeric_limits<base::Time>::min();  // on the trace's clock, inclusive
  base::Time to = std::numeric_limits<base::Time>::max();    // exclusive
  event::ThreadChoice threads;  // only events in their streams (samples: of these threads)
  event::NameChoice name;       // rows of these names
  bool show_helpers = false;    // runtime helper frames (wrappers) are hidden otherwise
  std::string method;           // between whose callers and callees a sandwich looks; empty = none
  bool fold_recursion = false;  // in the call tree, a method below itself is one with it
  // What does not count as time of calls: waiting for locks and signals; pauses, where given.
  bool subtract_waits = false;
  std::shared_ptr<const Pauses> pauses{};

  bool has(base::Time time) const { return time >= from && time < to; }
};

struct TableOptions {
  std::string sort;          // a column key; empty = the table's own order
  std::uint64_t limit = 20;  // rows per table, 0 = all
};

// Events batch.events[begin] to [end - 1], all of one thread's stream.
struct Run {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t thread;  // index in Names::threads()
};

struct CallSites;

// A part of a batch, nearly always all of it, in which every id means one thing, with what the
// slicer already found out about it. Views live until consume() returns.
struct Slice {
  const event::Batch& batch;
  // Indexes into batch.events of everything but Enter, Leave and Unwind, in order: analyses of the
  // rarer kinds walk only these.
  std::span<const std::uint32_t> others;
  // Names and threads, updated with all definitions of this slice and before.
  const Names& names;
  // All events of the slice, in order, by the thread whose stream has them.
  std::span<const Run> runs{};
  // By Event::thread: the index in names.threads(), NameTable::kNone for one without events yet.
  std::span<const std::uint32_t> threads{};
  // Null unless Slicer::follow_calls() was asked.
  CallSites* sites = nullptr;
  // Calls are what changed stacks tell (StackChanges): none goes on behind its thread's last
  // change.
  bool calls_end_with_changes = false;
};

// Something that looks like a fault, in plain text for people.
struct Suspect {
  std::string fault;  // "lock convoy"
  std::string what;   // where: the name of a method, class or lock
  std::string why;    // the figures that speak for it
};

class Analysis {
 public:
  Analysis() = default;
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;
  virtual ~Analysis() = default;

  // Slices in input order.
  virtual void consume(const Slice& slice) = 0;
  // Once, after the last slice: closes what is still open.
  virtual void finish(const Names& names) { static_cast<void>(names); }
  // The answer. Tables without rows are left out by the presenter. May be called repeatedly.
  virtual std::vector<Table> tables(const Names& names, const TableOptions& options) const = 0;
  // What a summary says of it, after finish(): zero to two lines of plain text for people, most
  // important first ("12 collections, longest pause 3.1 ms"). Cheap; empty when it saw nothing.
  virtual std::vector<std::string> headlines(const Names& names) const {
    static_cast<void>(names);
    return {};
  }
  // After finish(): of each limit of its own that was reached, what became of the rest, in words
  // that can follow a colon.
  virtual std::vector<std::string> limits() const { return {}; }
  // What looks like a fault to it, after finish(), worst first: nothing where figures are small or
  // what is seen has an innocent explanation.
  virtual std::vector<Suspect> suspects(const Names& names) const {
    static_cast<void>(names);
    return {};
  }
};

}  // namespace polytrace::analysis
