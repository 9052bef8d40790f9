// SPDX-License-Identifier: Apache-2.0
// A file format of another tool that can be written. Three kinds: a time line holds the events
// themselves, a profile sums of one weight by stack, a snapshot the heap at one moment. A new
// target is one file that defines what its line in targets.def declares.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/heap/questions.hpp"
#include "analysis/profile/profile.hpp"
#include "base/io/sink.hpp"
#include "exports/job/account.hpp"
#include "exports/profiles/call_log.hpp"
#include "exports/profiles/markers.hpp"

namespace polytrace::exports {

// What the user wants.
struct Request {
  slice::Selection selection;
  const analysis::Weight* weight = nullptr;  // of profiles; null: the first that the trace has
  std::optional<std::uint64_t> limit{};      // instead of Target::limit; 0 = none
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

// All of it outlives the maker; the origin learns while slices come.
struct TimelineJob {
  const Request& request;
  std::uint64_t limit;  // on events, 0 = none
  const Origin& origin;
  base::Sink& sink;         // of a folder: the file "metadata" in it
  std::string folder = {};  // an empty one to be filled; empty: the target is one file
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

struct Target {
  std::string_view name;
  std::string_view title;
  std::string_view suffix;
  std::uint64_t limit;       // events of a time line, places in a profile's tree; 0 = none
  std::string_view readers;  // what opens it, for people
  // One of both.
  std::unique_ptr<TimelineMaker> (*timeline)(const TimelineJob& job) = nullptr;
  base::result<void> (*profile)(const ProfileJob& job) = nullptr;
  bool by_thread = false;  // profiles: thread by thread
  bool packed = false;     // always gzip
  bool folder = false;     // of several files
  // Of a profile: about how many bytes become of it, and the most there may be. Where the user sets
  // no limit, more places are cut until they are kept. Null: any.
  std::uint64_t (*bytes)(const analysis::Pruned& pruned) = nullptr;
  std::uint64_t most_bytes = 0;
  // Or this one.
  base::result<void> (*snapshot)(const SnapshotJob& job) = nullptr;
  bool markers = false;  // a profile shows what happened beside it
  bool calls = false;    // a profile of time shows few calls in their order
  // A profile whose reader chooses weight and thread and hides helpers. Not of compared ones.
  bool switches = false;
};

// All there are, in the order of targets.def.
std::span<const Target> targets();
// Null when there is none of that name.
const Target* find_target(std::string_view name);

}  // namespace polytrace::exports
