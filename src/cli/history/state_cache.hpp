// SPDX-License-Identifier: Apache-2.0
// Histories that were made to answer one question, kept for the next one: a folder each below
// $XDG_CACHE_HOME/polytrace/states (or ~/.cache), named after the trace's path, size and time.
#pragma once

#include <string>

#include "base/result.hpp"

namespace polytrace::cli {

class StateCache {
 public:
  // `file` is a trace; standard input, any file without `keep`, and any where nothing can be kept,
  // gets a folder that goes with this object.
  StateCache(const std::string& file, bool keep);
  StateCache(const StateCache&) = delete;
  StateCache& operator=(const StateCache&) = delete;
  ~StateCache();

  // Whether a history of exactly this trace is there already.
  bool is_filled() const;
  // Where the history is, or where fill() expects it to be made.
  const std::string& folder() const { return folder_; }
  // A folder of our own to build in, so that nobody finds half a history. Empty: none can be made.
  const std::string& draft() const { return draft_; }
  // The draft is complete: it becomes the folder, unless another one did so meanwhile. Errors:
  // write_failed.
  base::result<void> fill();

 private:
  std::string folder_;
  std::string draft_;
  bool keep_;
};

}  // namespace polytrace::cli
