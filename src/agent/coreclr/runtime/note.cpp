// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/runtime/note.hpp"

namespace polytrace::agent::coreclr {

thread_local constinit std::uint32_t t_number;

void number_thread_slowly() {
  static std::atomic<std::uint32_t> last = 0;
  t_number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  name_thread(t_number);
}

}  // namespace polytrace::agent::coreclr
