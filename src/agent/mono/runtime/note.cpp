// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/runtime/note.hpp"

#include <cstdlib>
#include <string_view>

namespace polytrace::agent::mono {

thread_local constinit ThreadMarks t_marks;

void number_thread_slowly() {
  static std::atomic<std::uint32_t> last = 0;
  const Recording recording;
  t_marks.number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  name_thread(t_marks.number);
}

// Threads that record stop only where they are safe, never inside the recorder, so the collector
// may wait for the writer. Not so where the user has them stopped by signals wherever they are.
Patience patience_of_collector() {
  static const Patience patience = [] {
    const char* policy = std::getenv("MONO_THREADS_SUSPEND");
    return policy != nullptr && std::string_view(policy).starts_with("preempt") ? Patience::kNever
                                                                                : Patience::kPolicy;
  }();
  return patience;
}

}  // namespace polytrace::agent::mono
