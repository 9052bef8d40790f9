// SPDX-License-Identifier: Apache-2.0
// A recording from its first event to the file that people get: what `record` and `attach` share.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "cli/frame/option_list.hpp"
#include "cli/frame/session.hpp"
#include "cli/record/child.hpp"
#include "cli/record/live_status.hpp"

namespace polytrace::cli {

struct RecordingOptions {
  std::string output = "recording.ptrace";
  std::string to;  // a format that polytrace writes; empty: by the output's ending
  std::string duration;
  bool force = false;
  bool report = false;
};

// --output, --format, --force, --duration and --report.
void add_recording_options(OptionList& list, RecordingOptions& options);

// Where what goes.
struct RecordingPlan {
  std::string output;  // absolute
  std::string
      stream;      // absolute, the file that the agent writes: the output itself if that is native
  std::string to;  // the format of the output: "native" or another one
  std::chrono::nanoseconds duration{0};  // 0: to the end
  std::string events;                    // kinds that are recorded
  std::string limit;                     // as the user says it
  bool ends_when_cut = false;            // nobody waits for the program's end
  std::string runtime;                   // of the program that is started; "": it runs already
  std::vector<std::string> arguments;    // what its runtime gets, the program first
};
// Refuses an output that is there, unless --force: then it is removed. Errors: usage,
// output_exists, write_failed.
base::result<RecordingPlan> plan_recording(const RecordingOptions& options);

struct RecordingEnd {
  double seconds = 0;
  std::optional<RecordingFigures> figures;
  std::optional<Ending> program;  // what we started; none where it was running already
};

// Shows the live line until `ended` is true; calls `stop` once, after the duration or when the user
// asks to stop.
RecordingEnd watch_recording(const Session& session, const RecordingPlan& plan,
                             const std::function<bool()>& ended, const std::function<void()>& stop);

// Completes and converts the stream, says what became of it, makes the report. Gives the exit code:
// the program's own if that is not 0.
int finish_recording(Session& session, const RecordingOptions& options, const RecordingPlan& plan,
                     RecordingEnd end);
// The same in one line, of a process that the program started.
void finish_child(const Session& session, const RecordingPlan& plan);

}  // namespace polytrace::cli
