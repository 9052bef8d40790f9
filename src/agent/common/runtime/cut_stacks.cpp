// SPDX-License-Identifier: Apache-2.0
#include "agent/common/runtime/cut_stacks.hpp"

#include <atomic>

#include "agent/common/record/recorder.hpp"
#include "event/missing.hpp"

namespace polytrace::agent {

// Two threads may both define it, which does no harm.
base::Id truncated_frame() {
  static constinit std::atomic<std::uint64_t> told{0};  // when the recording started
  const std::uint64_t recording = Recorder::the().status().started.load(std::memory_order_relaxed);
  if (told.load(std::memory_order_acquire) == recording) return kTruncatedFrame;
  if (define(event::Method{.name = event::kTruncated}, kTruncatedFrame))
    told.store(recording, std::memory_order_release);
  return kTruncatedFrame;
}

}  // namespace polytrace::agent
