// SPDX-License-Identifier: Apache-2.0
// What a runtime was doing at each moment, as a history of states (docs/states.md): the status,
// method and stack of every thread, who holds and waits for which lock, the collector's phase, the
// heap, counters. From any trace, in two passes: consume() notes what happened, build() replays it
// in one order of time and writes the states.
//
//   analysis::States states;
//   event::pump(reader, states);               // the whole trace
//   auto builder = history::Builder::create(path, states.build_options());
//   auto built = states.build(*builder);       // derives, then closes the history
//
// Attributes (docs/states.md has types, units and what each format tells):
//   Recording
//   Threads/<id>/{Name, Status, Method, Stack/{1, 2 ...}, Sampled/{1, 2 ...}, Waits for,
//                 Allocations, Allocated, Exceptions, CPU}
//   Monitors/<object>/{Class, Owner, Waiters, Waiting}
//   Collector/{Phase, Generation, Collections, Reason}
//   Heap/{Total, Used, Objects, Generations/<name>/{Total, Used, Objects}}
//   JIT/{Compiling, Compiled}   Classes/Loaded   Objects/<class>/{Live, Bytes}
//   Counters/<section>/<name>   Process/CPU      Lost
// An attribute exists when the trace tells of it.
//
// Memory: `sort_bytes`, and what grows with the number of different threads, methods, stacks,
// locks, classes, counters and open calls; with the number of live objects when the trace tells
// which died. Not with the number of events: those go to a temporary file.
// One thread at a time; consume() may come from changing threads, as the pump does.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/notices.hpp"
#include "base/result.hpp"
#include "event/pump.hpp"
#include "history/builder.hpp"
#include "history/model/tree.hpp"

namespace polytrace::analysis {

struct StatesOptions {
  std::size_t sort_bytes = std::size_t{128} << 20;  // kept in memory before the file is used
};

// The span of a trace and its relation to the wall clock. Ticks are the trace's nanoseconds.
struct StatesExtent {
  history::Tick first = 0;  // 0 to 0 for a trace without events
  history::Tick last = 0;   // inclusive
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::optional<std::int64_t> clock_offset{};  // plus a tick = ns since the Unix epoch, when told
};

// The unit of the numbers of an attribute (docs/states.md, "Attributes"): "ns" or "B"; empty for a
// count and for what is no number. Pure; thread-safe.
std::string_view attribute_unit(const history::Tree& tree, history::Tree::Node node);

class States final : public event::Consumer {
 public:
  explicit States(const StatesOptions& options = {});
  ~States() override;

  // Batches in input order. False, which stops the pump, when the temporary file cannot be written:
  // build() then gives that error.
  bool consume(const event::Batch& batch) override;

  // After the last batch.
  StatesExtent extent() const;
  // The extent as options for Builder::create(); the rest is the caller's.
  history::BuildOptions build_options() const;

  // Derives all states into `builder`, which begins at extent().first or before, and closes it at
  // extent().last. Once, after the last batch. A change that the builder refuses is left out and
  // counted in notices() under the builder's code.
  // Errors: write_failed, read_failed (the temporary file, the builder's own).
  base::result<void> build(history::Builder& builder);

  // What could not be told: complete after build().
  const base::Notices& notices() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace polytrace::analysis
