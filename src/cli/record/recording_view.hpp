// SPDX-License-Identifier: Apache-2.0
// What the user sees of a recording: what `record` and `attach` share.
#pragma once

#include <functional>
#include <vector>

#include "cli/frame/session.hpp"
#include "service/record/recording.hpp"

namespace polytrace::cli {

// One sentence about what is left out, with the options that get it.
void tell_gaps(const Session& session, const std::vector<service::Gap>& gaps);

// Shows the live line until `ended` is true; calls `stop` once, after the duration or when the user
// asks to stop.
service::RecordingEnd watch_recording(const Session& session, const service::RecordingPlan& plan,
                                      std::function<bool()> ended, std::function<void()> stop);

// Completes and converts the stream, says what became of it, makes the report. Gives the exit code:
// the program's own if that is not 0.
int finish_recording(Session& session, const service::RecordingPlan& plan, bool report,
                     service::RecordingEnd end);
// The same in one line, of a process that the program started.
void finish_other(const Session& session, const service::RecordingPlan& plan);

}  // namespace polytrace::cli
