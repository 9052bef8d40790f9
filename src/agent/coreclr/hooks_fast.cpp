// SPDX-License-Identifier: Apache-2.0
// Compiled for general registers only (CMakeLists.txt): whoever calls this keeps no others.
#include "agent/common/recorder.hpp"
#include "agent/coreclr/hooks.hpp"

namespace {

using polytrace::agent::try_word;
using polytrace::format::native::call_word;
using polytrace::format::native::Word;

void record(Word call, std::uintptr_t method) {
  const std::uint64_t word = call_word(call, method, 0);
  if (!try_word<false>(word, 0)) [[unlikely]]
    polytrace_coreclr_keep_vectors(word, 0);
}

}  // namespace

extern "C" void polytrace_coreclr_fast_enter(std::uintptr_t method) {
  record(Word::kEnter, method);
}
extern "C" void polytrace_coreclr_fast_leave(std::uintptr_t method) {
  record(Word::kLeave, method);
}
