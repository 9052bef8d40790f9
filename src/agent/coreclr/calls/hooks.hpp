// SPDX-License-Identifier: Apache-2.0
// What compiled code calls at each entry and exit of a method: by a convention of its own, in which
// all registers are kept. Not to be called from C++.
#pragma once

#include <cstdint>

extern "C" {
void polytrace_coreclr_enter();
void polytrace_coreclr_leave();

// The parts of it, in the order of the call.
void polytrace_coreclr_fast_enter(std::uintptr_t method);
void polytrace_coreclr_fast_leave(std::uintptr_t method);
void polytrace_coreclr_keep_vectors(std::uint64_t word, std::uint64_t follows);
void polytrace_coreclr_record_slowly(std::uint64_t word, std::uint64_t follows);
}
