// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace polytrace::test {

// Whether the condition came to hold: what takes longer than this hangs, however busy the machine
// is.
template <typename Condition>
[[nodiscard]] bool wait_until(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(150);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace polytrace::test
