// SPDX-License-Identifier: Apache-2.0
// The JDK's attach protocol: a trigger file and SIGQUIT make a JVM open a Unix socket, on which it
// loads an agent. Nothing of a JDK is needed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace polytrace::service {

// Refuses processes that are no JVM of this user, or that SIGQUIT would kill.
// Errors: usage (no such JVM), open_failed (it does not answer, or may not be asked).
base::result<void> check_jvm(pid_t process);

// A process in a container, or with another root, must have at that absolute path, which has no
// links, what we have there. `option` names the path otherwise. Errors: usage; open_failed: we have
// nothing there.
base::result<void> check_sees(pid_t process, const std::string& path, std::string_view option);

// Loads the library at `path`, as the JVM sees it, with the options. `patience`: until it listens.
// Errors: open_failed, with what the JVM said.
base::result<void> load_into_jvm(pid_t process, const std::string& path, const std::string& options,
                                 std::chrono::milliseconds patience);

}  // namespace polytrace::service
