// SPDX-License-Identifier: Apache-2.0
#include "agent/common/runtime/note.hpp"

namespace polytrace::agent {

thread_local constinit ThreadMarks t_marks;

void number_thread_slowly() {
  static std::atomic<std::uint32_t> last = 0;
  const Recording recording;
  t_marks.number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  name_thread(t_marks.number);
}

}  // namespace polytrace::agent
