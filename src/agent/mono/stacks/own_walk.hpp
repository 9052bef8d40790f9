// SPDX-License-Identifier: Apache-2.0
// Walks the calling thread's stack by what is known of call sites (call_sites.hpp), and learns from
// the runtime's walks.
#pragma once

#include <array>

#include "agent/mono/stacks/stacks.hpp"

namespace polytrace::agent::mono {

// A walk by the runtime: innermost frame first.
struct RuntimeWalk {
  std::uint32_t most;
  std::uint32_t count;
  bool is_cut;  // there are more than `most`
  std::array<MonoMethod*, kMostFrames> methods;
};

enum class OwnWalk : unsigned char {
  done,     // the frames are all there
  unknown,  // met an address that is not known: learn_walk() may know it then
  foreign   // met code that cannot be walked through
};

// Adds the frames of the callers of the callback whose frame address is `frame`. `stopped` is where
// on the stack the walk ended.
OwnWalk walk_own(const void* frame, StackFrames& frames, std::uintptr_t& stopped);
// `walk` is what the runtime says of the same stack.
void learn_walk(const void* frame, const RuntimeWalk& walk);
// At `stopped` the calling thread's outermost compiled frame ends.
void learn_base(std::uintptr_t stopped);

}  // namespace polytrace::agent::mono
