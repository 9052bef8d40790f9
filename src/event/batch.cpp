// SPDX-License-Identifier: Apache-2.0
#include "event/batch.hpp"

#include <algorithm>

namespace polytrace::event {

Batch::Batch() = default;
Batch::Batch(Batch&& other) noexcept = default;
Batch& Batch::operator=(Batch&& other) noexcept = default;
Batch::~Batch() = default;

std::uint16_t Batch::thread_slot(Id thread) {
  // Streams change thread rarely and seldom among many: the last ones are found first.
  const auto found = std::find(threads.rbegin(), threads.rend(), thread);
  if (found != threads.rend()) return static_cast<std::uint16_t>(threads.rend() - found - 1);
  threads.push_back(thread);
  return static_cast<std::uint16_t>(threads.size() - 1);
}

void Batch::clear() {
  events.clear();
  threads.clear();
  frames.clear();
  offset = 0;
  tally = {};
  context.reset();
  notices.clear();
#define KIND(Type, ...) column<Type>().clear();
#include "event/kinds.def"
#undef KIND
  column<FramePlace>().clear();
  column<Ref>().clear();
  column<IlRange>().clear();
  arena_.clear();
}

}  // namespace polytrace::event
