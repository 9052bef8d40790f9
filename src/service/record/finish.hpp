// SPDX-License-Identifier: Apache-2.0
// What follows a recording: its stream is completed, and becomes the file that people get. One
// thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "service/input/overview.hpp"
#include "service/input/pass.hpp"
#include "service/record/recording.hpp"

namespace polytrace::service {

// Free bytes of the disk that a file is on, or would be; all ones where nobody knows.
std::uint64_t free_beside(const std::string& file);

// Why there is no recording.
struct MissingRecording {
  bool no_room = false;  // on the disk, for an agent to begin
  std::string cause{};   // else: a sentence
};
// Nothing where somebody has recorded something.
std::optional<MissingRecording> find_missing(const RecordingPlan& plan);

// How a recording was left.
struct LeftRecording {
  enum class Next : std::uint8_t {
    nothing,     // it is what was asked for
    keep_both,   // of a full disk, which has no room for another file: every command reads both
    add_memory,  // what the program left in its memory goes into the stream
    convert,     // the output is made of the stream and of what was left in memory
  };
  Next next = Next::nothing;
  bool goodbye = true;       // the program said it: nothing was left in its memory
  bool adds_memory = false;  // what it left there comes into the output
};
LeftRecording look_at(const RecordingPlan& plan, const RecordingEnd& end);

struct CompletedRecording {
  int code = 0;                    // of the exit: 4 where a part is missing
  std::uint64_t damaged = 0;       // segments of what was left in memory
  std::string not_added{};         // why that is in a file beside the stream still
  std::optional<Refusal> fault{};  // of making the output; the code is its own

  bool is_there() const { return code == 0 || code == kPartly; }
  static constexpr int kPartly = 4;
};
// Does what is to be done next. `convert` makes the output of the plan's stream and gives the code
// of its exit; the stream goes away behind it. Counts in `end` what is added.
using Convert = std::function<base::result<int>(const RecordingPlan& plan)>;
CompletedRecording complete_recording(const RecordingPlan& plan, const LeftRecording& left,
                                      const Convert& convert, RecordingEnd& end);

// What a file holds, where it is small enough to be read while the user waits.
std::optional<Overview> look_into(const std::string& file);

// {"schema": "polytrace.record/1", ...}; `code`: of the exit.
std::string record_json(const RecordingPlan& plan, const RecordingEnd& end,
                        const LeftRecording& left, int code);

}  // namespace polytrace::service
