// SPDX-License-Identifier: Apache-2.0
// What is to be exported and where it goes: the work of whoever writes a file of another tool.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/profile/profile.hpp"
#include "base/io/sink.hpp"
#include "exports/job/account.hpp"

namespace polytrace::analysis {
struct HeapView;
}

namespace polytrace::exports {

class CallLog;
class Markers;

// What the user wants.
struct Request {
  slice::Selection selection;
  const analysis::Weight* weight = nullptr;  // of profiles; null: the first that the trace has
  std::optional<std::uint64_t> limit{};      // instead of the target's; 0 = none
  std::uint64_t depth = 0;                   // of profiles: most frames of a stack, 0 = any
  // Of snapshots: which one, counted from 0; absent: the last complete one.
  std::optional<std::uint64_t> snapshot{};
};

// Where the events come from, as far as told when it is asked for.
struct Origin {
  std::string trace;    // the input's name, without folders
  std::string process;  // its name
  std::string runtime;
  base::Id pid = base::kNoId;
  base::Time wall = base::kNoTime;  // nanoseconds since 1970 at clock time `wall_at`
  base::Time wall_at = base::kNoTime;

  // The same for any clock time; kNoTime when that is not known.
  base::Time wall_of(base::Time time) const;
  // What stands for the process where its name is not known.
  const std::string& process_or_trace() const { return process.empty() ? trace : process; }
};

// All of it outlives the maker; the origin learns while slices come.
struct TimelineJob {
  const Request& request;
  std::uint64_t limit;  // on events, 0 = none
  const Origin& origin;
  base::Sink& sink;         // of a folder: the file "metadata" in it
  std::string folder = {};  // an empty one to be filled; empty: the target is one file
};

// Writes events as they come, in bounded memory. One thread at a time.
class TimelineMaker {
 public:
  TimelineMaker() = default;
  TimelineMaker(const TimelineMaker&) = delete;
  TimelineMaker& operator=(const TimelineMaker&) = delete;
  virtual ~TimelineMaker() = default;

  // Slices in input order, also what the selection does not have. Errors: the sink's.
  virtual base::result<void> consume(const slice::Slice& slice) = 0;
  // Once, after the last slice: closes what is open and writes the account into the file. The sink
  // is committed by whoever opened it.
  virtual base::result<void> finish(const slice::Names& names) = 0;
  // Complete after finish().
  virtual const Account& account() const = 0;
};

struct ProfileJob {
  const analysis::Pruned& pruned;
  const Origin& origin;
  const Account& account;  // to be written into the file
  base::Sink& sink;
  const Markers* markers = nullptr;  // of a target that shows them
  const CallLog* calls = nullptr;    // of a target that shows them in order, if there are not many
  // Of a target that shows all weights: those of other carriers.
  std::span<const analysis::Pruned> others{};
  bool show_helpers = true;  // from the beginning, where the reader can hide them
};

struct SnapshotJob {
  const analysis::HeapView& view;
  base::Sink& sink;
};

}  // namespace polytrace::exports
