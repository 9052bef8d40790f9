// SPDX-License-Identifier: Apache-2.0
// The calls of a small trace in their order, thread by thread, for profiles whose reader can show
// that as well. Bounded: of a trace with more calls it keeps none. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "exports/timelines/calls.hpp"
#include "exports/timelines/names.hpp"

namespace polytrace::exports {

class CallLog {
 public:
  using Names = slice::Names;
  using Time = base::Time;
  static constexpr std::uint64_t kMost = 100000;  // calls

  struct Entry {
    Time at;  // does not run backwards within a thread
    std::uint32_t method;
    bool opens;
  };
  struct Track : CallTrack {
    std::vector<Entry> entries;  // nested, closed at the end
    std::uint64_t depth = 0;     // now
    std::uint64_t total = 0;     // nanoseconds with a call open
  };

  explicit CallLog(const slice::Selection& selection)
      : methods_(selection), calls_(selection, *this), walk_(selection) {}

  void consume(const slice::Slice& slice);
  // Once, after the last slice.
  void finish(const Names& names);

  // After finish(). Whether there are calls to be shown, none deeper than `depth` frames (0 = any).
  // If not, why, as a sentence, empty where there are no calls.
  struct Verdict {
    bool whole = false;
    std::string why{};
  };
  Verdict verdict(std::uint64_t depth) const;
  const std::deque<Track>& tracks() const { return tracks_; }  // also without entries
  const std::string& thread_name(const Track& track) const { return threads_[track.thread]; }
  const std::string& method_name(std::uint32_t method) const { return names_[method]; }
  std::uint64_t methods() const { return names_.size(); }
  Time first() const { return first_; }

  // For CallSpans.
  Track& track(std::uint32_t thread) { return track_of(tracks_, thread); }
  bool shows(Track&, std::uint32_t method, const Names& names) { return shown_.has(method, names); }
  bool begin(Track& track, Time time, std::uint32_t method);
  void end(Track& track, std::uint32_t method, Time start, Time end);

 private:
  MethodTexts methods_;
  ShownMethods shown_{methods_};
  CallSpans<CallLog> calls_;
  analysis::CallWalk<CallSpans<CallLog>> walk_;
  std::deque<Track> tracks_;          // by thread index
  std::vector<std::string> threads_;  // by thread index
  std::vector<std::string> names_;    // by method; empty: has no call
  std::uint64_t calls_kept_ = 0;
  std::uint64_t deepest_ = 0;
  Time first_ = std::numeric_limits<Time>::max();
  bool full_ = false;
  bool has_sums_ = false;  // calls without times of their own
};

}  // namespace polytrace::exports
