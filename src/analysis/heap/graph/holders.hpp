// SPDX-License-Identifier: Apache-2.0
// What holds the object of a root, as far as the event itself tells. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/heap/graph/graph.hpp"
#include "event/details.hpp"

namespace polytrace::analysis {

// In the recorder's words, else by its number; "root" where neither is told.
inline std::string_view holder_of(const event::Root& root) {
  if (!root.type.empty()) return root.type;
  constexpr std::array<std::string_view, 3> kHolders{"stack", "finalizer", "handle"};
  const std::uint32_t low = root.flags & 0xff;
  return root.address == base::kNoId && low < kHolders.size() ? kHolders[low] : "root";
}

// Of a heap dump of Java, which alone has both a word for the root and a thread.
inline RootOwner owner_of(const event::Root& root) {
  constexpr std::array<std::string_view, 5> kOfThreads{"thread", "Java frame", "JNI local",
                                                       "native stack", "thread block"};
  RootOwner owner;
  if (std::ranges::find(kOfThreads, root.type) == kOfThreads.end() || root.extra == 0) return owner;
  owner.thread = root.extra;
  owner.frame = root.address;
  return owner;
}

// It keeps nothing alive.
inline bool is_weak_handle(const event::Root& root) {
  constexpr std::uint32_t kWeak = 0x200;
  return root.address == base::kNoId && (root.flags & kWeak) != 0;
}

}  // namespace polytrace::analysis
