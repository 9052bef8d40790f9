// SPDX-License-Identifier: Apache-2.0
// A recording: what is said about it, where what goes, and how it is watched while it goes on. One
// thread at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/common/memory/status.hpp"
#include "service/record/agent_options.hpp"
#include "service/runtimes/runtimes.hpp"

namespace polytrace::service {

struct RecordingOptions {
  std::string output = "recording.ptrace";
  std::string to;  // a format that polytrace writes; empty: by the output's ending
  std::string duration;
  bool force = false;
};

// Where what goes.
struct RecordingPlan {
  std::string named;   // the output, as it was said
  std::string output;  // absolute
  std::string
      stream;      // absolute, the file that the agent writes: the output itself if it is native
  std::string to;  // the format of the output: "native" or another one
  std::chrono::nanoseconds duration{0};  // 0: to the end
  bool ends_itself = false;              // the agent knows the duration
  std::string events;                    // kinds that are recorded
  std::string limit;                     // as the user says it
  bool ends_when_cut = false;            // nobody waits for the program's end
  std::string runtime;                   // of the program that is started; "": it runs already
  std::vector<std::string> arguments;    // what its runtime gets, the program first
};

// A program that is to be started for it.
struct RecordQuestion {
  std::string runtime;                 // "java"
  std::string program;                 // that runs it; empty: the runtime's own, in PATH
  std::vector<std::string> arguments;  // the program's, itself first
  RecordingOptions recording;
  AgentOptions agent;
  bool replaces_profiler = false;  // that the environment has
};
struct PreparedRecording {
  RecordingPlan plan;
  Launch launch;
  bool children = false;              // are recorded, too
  std::vector<std::string> cautions;  // what the user should know before
  std::vector<Gap> gaps;
};
// All but the start. Refuses an output that is there, unless by force: then it is removed. Errors:
// usage, open_failed where the runtime or its agent is missing, output_exists, write_failed.
base::result<PreparedRecording> prepare_recording(RecordQuestion question);

// A program that runs already.
struct AttachQuestion {
  pid_t process = 0;
  RecordingOptions recording;
  AgentOptions agent;
};
struct AttachedRecording {
  RecordingPlan plan;
  std::vector<Gap> gaps;
};
// Recording has begun behind it, and stop_recording() ends it. Errors: as prepare_recording, and
// those of check_jvm and load_into_jvm.
base::result<AttachedRecording> attach_recording(AttachQuestion question);

struct RecordingFigures {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t stalled = 0;  // nanoseconds
  std::uint64_t write_error = 0;
  agent::Cut cut = agent::Cut::none;
  std::uint64_t left_out = 0;  // named as impossible to instrument
};

// How far a recording has come: its counters, in the segment file that the recorded process shares.
// Once found they can be read even after that process has ended and the file has gone.
class LiveStatus {
 public:
  // `stream`: the path of the recording.
  explicit LiveStatus(const std::string& stream) : path_(stream + ".segments") {}
  LiveStatus(const LiveStatus&) = delete;
  LiveStatus& operator=(const LiveStatus&) = delete;
  ~LiveStatus();

  // Looks for the file, if it is not mapped yet.
  bool found();
  std::optional<RecordingFigures> figures();

 private:
  std::string path_;
  void* memory_ = nullptr;
};

// How a program ended.
struct Ending {
  int code = 0;    // of its exit, or 128 + the signal
  int signal = 0;  // that ended it; 0 = it exited
};

struct RecordingEnd {
  double seconds = 0;
  std::optional<RecordingFigures> figures;
  std::optional<Ending> program;  // what was started; none where it was running already

  // Why it ended before it was to.
  agent::Cut cut() const {
    return figures && figures->cut != agent::Cut::time ? figures->cut : agent::Cut::none;
  }
};

// What a front end lends while a recording goes on.
struct RecordingWatch {
  std::function<bool()> ended;       // whether the program has
  std::function<bool()> stop_asked;  // whether the user wants it to end
  std::function<void()> stop;        // called once: after the duration, or when that was asked
  std::function<void(LiveStatus& status, double seconds)> look;  // called some 50 times a second
};
// Until it has ended.
RecordingEnd watch_recording(const RecordingPlan& plan, const RecordingWatch& watch);

}  // namespace polytrace::service
