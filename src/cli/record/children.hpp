// SPDX-License-Identifier: Apache-2.0
// Programs that the recorded one starts.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <set>
#include <string>
#include <string_view>

#include "cli/record/recording.hpp"

namespace polytrace::cli {

// "shop.ptrace" of process 17: "shop.17.ptrace".
std::string name_for_process(const std::string& path, std::string_view process);
// The plan of one process of several: its own files.
RecordingPlan plan_for_process(const RecordingPlan& plan, pid_t process);

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
  std::set<pid_t> seen_;
};

// Those that have a recording under the plan.
std::set<pid_t> recorded_processes(const RecordingPlan& plan);

// After the program's end: completes what other processes recorded under the plan, and says one
// line of each, in order of their numbers. `others`: the program, and recordings from before.
void finish_children(const Session& session, const RecordingPlan& plan,
                     const std::set<pid_t>& others);

}  // namespace polytrace::cli
