// SPDX-License-Identifier: Apache-2.0
#include "analysis/call_walk.hpp"

#include "base/figure_text.hpp"

namespace polytrace::analysis {

std::vector<std::string> Repairs::notes() const {
  std::vector<std::string> notes;
  if (ignored != 0) {
    notes.push_back(base::count_text(ignored, "leave", "leaves") +
                    " of methods that were not entered in the trace: ignored.");
  }
  if (cut != 0) {
    notes.push_back(base::count_text(cut, "call", "calls") +
                    " without a leave: ended when a caller was left.");
  }
  if (open != 0) {
    notes.push_back(base::count_text(open, "call", "calls") +
                    " not left when the trace ends: counted up to the thread's last event.");
  }
  if (dropped != 0) {
    notes.push_back(base::count_text(dropped, "call", "calls") +
                    " beyond the limit of open calls: not counted, their time is their callers'.");
  }
  return notes;
}

}  // namespace polytrace::analysis
