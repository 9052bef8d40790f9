// SPDX-License-Identifier: Apache-2.0
#include "analysis/calls/call_walk.hpp"

#include "base/text/figure_text.hpp"

namespace polytrace::analysis {

std::vector<std::string> repair_notes(const event::CallAccount& calls) {
  std::vector<std::string> notes;
  if (calls.ignored != 0) {
    notes.push_back(base::count_text(calls.ignored, "leave", "leaves") +
                    " of methods that were not entered in the trace: ignored.");
  }
  if (calls.cut != 0) {
    notes.push_back(base::count_text(calls.cut, "call", "calls") +
                    " without a leave: ended when a caller was left.");
  }
  if (calls.unended != 0) {
    notes.push_back(base::count_text(calls.unended, "call", "calls") +
                    " not left when the trace ends: counted up to the thread's last event.");
  }
  if (calls.backwards != 0) {
    notes.push_back(base::count_text(calls.backwards, "time", "times") +
                    " of calls before the one before in the thread: counted as that one.");
  }
  if (calls.dropped != 0) {
    notes.push_back(base::count_text(calls.dropped, "call", "calls") +
                    " beyond the limit of open calls: not counted, their time is their callers'.");
  }
  return notes;
}

}  // namespace polytrace::analysis
