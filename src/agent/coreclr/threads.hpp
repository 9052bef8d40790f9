// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "agent/coreclr/abi.hpp"

namespace polytrace::agent::coreclr {

struct LivingThread {
  RuntimeId id;
  std::uint32_t number;
  std::uint32_t os_thread;
};

// The threads of the runtime that live now, those it announced. Any thread.
void living_threads(std::vector<LivingThread>& threads);

}  // namespace polytrace::agent::coreclr
