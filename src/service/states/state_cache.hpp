// SPDX-License-Identifier: Apache-2.0
// Histories that were made to answer one question, kept for the next one: a folder each in
// states below the folder of all that is kept (store::cache_root()), named after the trace's path,
// size, times and place, and after its content if it was written to a moment ago. The 16 last used
// ones stay, and of these at most 2 GiB.
#pragma once

#include <optional>
#include <string>

#include "history/history.hpp"

namespace polytrace::service {

class StateCache {
 public:
  // `cache` is that folder, empty: there is none. `file` is a trace; standard input, any
  // file without `keep`, and any where nothing can be kept, gets a folder that goes with this
  // object.
  StateCache(const std::string& file, const std::string& cache, bool keep);
  StateCache(const StateCache&) = delete;
  StateCache& operator=(const StateCache&) = delete;
  ~StateCache();

  // The history of exactly this trace, if a whole one is there.
  std::optional<history::History> find() const;
  // Where find() looks.
  const std::string& folder() const { return folder_; }
  // A folder of our own to build in, so that nobody finds half a history; made by the first call.
  // Empty: none can be made.
  const std::string& draft();
  // The draft is complete: it becomes the folder, in place of what is there, and the histories that
  // were used least make room. The draft stays where that cannot be done, and if the trace has
  // changed since this object was made.
  void fill();
  // Why histories of this trace are not kept although they should be; else empty.
  const std::string& trouble() const { return trouble_; }

 private:
  std::string file_;
  std::string folder_{};
  std::string draft_{};
  std::string trouble_{};
  bool keep_;
};

}  // namespace polytrace::service
