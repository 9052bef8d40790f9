// SPDX-License-Identifier: Apache-2.0
// A program that was started to be recorded, and those that it starts.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "service/record/recording.hpp"

namespace polytrace::service {

bool is_alive(pid_t process);

// Counts processes below one that a runtime has come into: those that live long enough to be seen.
// One thread at a time.
class ChildWatch {
 public:
  explicit ChildWatch(pid_t above) : above_(above) {}

  // Looks, if the last look is long enough ago.
  void look();
  std::size_t seen() const { return seen_.size(); }

 private:
  void look_below(pid_t process, unsigned depth);

  pid_t above_;
  std::chrono::steady_clock::time_point last_{};
  std::set<pid_t> seen_{};
};

// One thread at a time.
class RecordedProgram {
 public:
  // With our standard streams; its standard output is our standard error where that is asked for.
  // Errors: open_failed.
  static base::result<RecordedProgram> start(const PreparedRecording& prepared,
                                             bool output_to_error);

  pid_t process() const { return process_; }
  // Its own: with the number in the names of the files where others are recorded, too.
  const RecordingPlan& plan() const { return own_; }
  // False while it runs.
  bool ended();
  const Ending& ending() const { return ending_; }
  void signal(int number) const;

  // How many programs of runtimes it started that are not recorded, as far as they were seen.
  std::size_t not_recorded() const { return watch_.seen(); }
  // Behind its end: what other processes recorded, in order of their numbers. Those that are alive
  // go on with it.
  struct Other {
    pid_t process = 0;
    RecordingPlan plan{};
  };
  std::vector<Other> others() const;

 private:
  RecordedProgram(const PreparedRecording& prepared, pid_t process);

  RecordingPlan plan_;  // of all
  RecordingPlan own_;
  bool children_;
  pid_t process_;
  ChildWatch watch_;
  std::set<pid_t> before_{};  // whose recordings were there
  Ending ending_{};
};

}  // namespace polytrace::service
