// SPDX-License-Identifier: Apache-2.0
// How frames of compiled code are found without asking the runtime, whose own walk takes a quarter
// of a microsecond per frame.
//
// A return address tells its method, and its method's first instructions tell where the frame ends:
// either it has a frame pointer (rbp), or its size is fixed. What they are is read once per address
// and believed only after a walk by the runtime has given the same methods. A walk that meets an
// address not known yet gives up, and the runtime walks.
#pragma once

#include "agent/mono/plain/frames.hpp"

namespace polytrace::agent::mono {

// By return address. Any thread.
CallSite known_call_site(std::uintptr_t address);
void know_call_site(std::uintptr_t address, const CallSite& site);
// Code was freed: what is known of addresses is void.
void forget_call_sites();

}  // namespace polytrace::agent::mono
