// SPDX-License-Identifier: Apache-2.0
// What analyses are fed with: a part of a batch in which every id means one thing.
#pragma once

#include <span>

#include "event/batch.hpp"
#include "slice/names.hpp"

namespace polytrace::slice {

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

}  // namespace polytrace::slice
