// SPDX-License-Identifier: Apache-2.0
// A program that we started. One thread at a time.
#pragma once

#include <sys/types.h>

#include "base/result.hpp"
#include "cli/runtimes/runtimes.hpp"

namespace polytrace::cli {

// How a program ended.
struct Ending {
  int code = 0;    // of its exit, or 128 + the signal
  int signal = 0;  // that ended it; 0 = it exited
};

class Child {
 public:
  // With our standard streams; its standard output is our standard error where that is asked for.
  // Errors: open_failed.
  static base::result<Child> start(const Launch& launch, bool output_to_error = false);
  // False while it runs.
  bool ended(Ending& ending);
  void signal(int number) const;
  pid_t process() const { return process_; }

 private:
  explicit Child(pid_t process) : process_(process) {}
  pid_t process_;
};

// This program with other words, run to its end; killed with us. Errors: open_failed.
base::result<Ending> run_ourselves(std::vector<std::string> words, bool output_to_error = false);

}  // namespace polytrace::cli
