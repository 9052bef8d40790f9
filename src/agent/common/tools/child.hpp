// SPDX-License-Identifier: Apache-2.0
// A program started from inside another one: with the signals of a fresh program, in a process
// group of its own (what ends the host from a terminal leaves it the end of its input), without
// the host's open files, and without an agent.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

namespace polytrace::agent {

struct ChildFiles {
  int input = -1;
  int output = -1;
  int errors = -1;  // -1: they are let go
  int extra = -1;   // the child's descriptor 3; -1: it has none
};

// Starts words[0], a path, with the others as its arguments. The files stay the caller's. Gives
// errno, 0 for success. Any thread.
int start_child(std::span<const std::string> words, const ChildFiles& files, pid_t& process);

}  // namespace polytrace::agent
