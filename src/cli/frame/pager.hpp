// SPDX-License-Identifier: Apache-2.0
// A program that shows a long text a screen at a time, between us and the terminal.
#pragma once

#include <sys/types.h>

namespace polytrace::cli {

// One at a time in a process: it takes standard output's place. One thread at a time.
class Pager {
 public:
  Pager() = default;
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager() { end(); }

  // Standard output, and standard error where it is a terminal, too, go through $POLYTRACE_PAGER,
  // else $PAGER, else less, which ends at once where all fits a screen. Nothing happens where
  // standard output is no terminal or a dumb one, where the variable is empty or "cat", and where
  // there is no less.
  void begin();
  // Waits until the user has seen enough. What is printed then stands behind it.
  void end();

 private:
  static constexpr int kNone = -1;
  pid_t child_ = 0;     // 0: none runs
  int output_ = kNone;  // the terminal, to be put back
  int error_ = kNone;
};

}  // namespace polytrace::cli
