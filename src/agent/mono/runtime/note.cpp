// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/runtime/note.hpp"

#include <cstdlib>
#include <string_view>

namespace polytrace::agent::mono {

// Threads that record stop only where they are safe, never inside the recorder, so the collector
// may wait for the writer. Not so where the user has them stopped by signals wherever they are.
Patience patience_of_collector() {
  static const Patience patience = [] {
    const char* policy = std::getenv("MONO_THREADS_SUSPEND");
    return policy != nullptr && std::string_view(policy).starts_with("preempt") ? Patience::never
                                                                                : Patience::policy;
  }();
  return patience;
}

}  // namespace polytrace::agent::mono
