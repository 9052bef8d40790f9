// SPDX-License-Identifier: Apache-2.0
// Compiled for general registers only (CMakeLists.txt): whoever calls this keeps no others.
#include "agent/common/record/recorder.hpp"
#include "agent/coreclr/calls/hooks.hpp"

namespace {

constexpr auto kSlowly = [](std::uint64_t word, std::uint64_t follows) {
  polytrace_coreclr_keep_vectors(word, follows);
};

}  // namespace

extern "C" void polytrace_coreclr_fast_enter(std::uintptr_t method) {
  polytrace::agent::enter(static_cast<std::uint32_t>(method), kSlowly);
}
extern "C" void polytrace_coreclr_fast_leave(std::uintptr_t method) {
  polytrace::agent::leave(static_cast<std::uint32_t>(method), kSlowly);
}
