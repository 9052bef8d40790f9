// SPDX-License-Identifier: Apache-2.0
// What an Event of a call holds behind its time and id, as one word, for loops that write calls.
#pragma once

#include <cstddef>
#include <cstring>

#include "event/spine.hpp"

namespace polytrace::event {

class CallHeads {
 public:
  // `kinds` of calls, told apart by their index.
  template <std::size_t n>
  CallHeads(const Kind (&kinds)[n], std::uint16_t thread) {
    static_assert(n <= kMost);
    for (std::size_t i = 0; i < n; ++i) {
      const Event event{0, 0, kAbsent, thread, kinds[i], 0};
      std::memcpy(&heads_[i], reinterpret_cast<const std::byte*>(&event) + kBegin, kSize);
    }
  }
  void write(Event& event, std::size_t index) const {
    std::memcpy(reinterpret_cast<std::byte*>(&event) + kBegin, &heads_[index], kSize);
  }

 private:
  static constexpr std::size_t kMost = 4;
  static constexpr std::size_t kBegin = offsetof(Event, detail);
  static constexpr std::size_t kSize = sizeof(std::uint64_t);
  static_assert(sizeof(Event) == kBegin + kSize);

  std::uint64_t heads_[kMost]{};
};

}  // namespace polytrace::event
