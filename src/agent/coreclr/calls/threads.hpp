// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "agent/coreclr/runtime/abi.hpp"
#include "base/types.hpp"

namespace polytrace::agent::coreclr {

struct LivingThread {
  RuntimeId id;
  std::uint32_t number;
  std::uint32_t os_thread;
};

// The threads of the runtime that live now, those it announced. Any thread.
void living_threads(std::vector<LivingThread>& threads);

// While it is held, the thread does not end; false: it has. What others record of a thread is
// recorded meanwhile, and so stands before its end. No question to the runtime, no other of these.
class HeldThread {
 public:
  explicit HeldThread(std::uint32_t number);
  ~HeldThread();
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;
  explicit operator bool() const { return lives_; }

 private:
  bool lives_;
};

// CPU time of all threads of this process, nanoseconds.
base::Duration cpu_of_process();

}  // namespace polytrace::agent::coreclr
