// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT), SIGTERM and SIGHUP: the first asks the run to stop cleanly, the second kills.
// Behind SIGTERM and SIGHUP a second is left, then they kill. A closed pipe ends the program
// quietly, as it ends every filter.
#pragma once

#include <atomic>
#include <string>

namespace polytrace::cli {

// Once, before anything is read.
void watch_signals();
// For what has to end others first, or writes its last bytes: SIGTERM and SIGHUP wait for it.
void take_time_to_end();
// A folder of plain files that the second signal takes away before it kills; empty: none any more.
void remove_if_killed(const std::string& folder);
// True once the user asked to stop; for PumpOptions::stop and SourceOptions::stop_following.
const std::atomic<bool>& stop_asked();
// What Ctrl-C asked is done; the next one asks anew. For a prompt.
void forget_stop();
// The signal that asked: 128 + this is the exit code. 0 when none did.
int stop_signal();

}  // namespace polytrace::cli
