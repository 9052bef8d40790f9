// SPDX-License-Identifier: Apache-2.0
// What of a trace counts.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "event/batch.hpp"
#include "event/choice/name_choice.hpp"
#include "event/choice/thread_choice.hpp"

namespace polytrace::slice {

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

// Events of the selected time and of a selected thread's stream.
inline bool selects(const Selection& selection, const event::Batch& batch,
                    const event::Event& event) {
  return selection.has(event.time) && selection.threads.has(batch.thread(event));
}

// Rows by their name.
inline bool keeps(const Selection& selection, std::string_view name) {
  return selection.name.has(name);
}

}  // namespace polytrace::slice
