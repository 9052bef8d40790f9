// SPDX-License-Identifier: Apache-2.0
// The runtime that loaded us, and what it can be asked. Any thread. From its shutdown on it answers
// nothing any more.
#pragma once

#include <atomic>
#include <string>

#include "agent/coreclr/runtime/abi.hpp"
#include "event/details.hpp"

namespace polytrace::agent::coreclr {

struct GenerationRange {
  std::int32_t generation;  // 0 to 2, 3 large objects, 4 pinned objects
  RuntimeId start;
  std::uintptr_t used;
  std::uintptr_t reserved;
};
struct CodeRange {
  RuntimeId start;
  std::size_t size;
};
// As events have them, too.
using IlMapping = event::IlRange;

// Whose events a session of EventPipe gets.
struct EventProvider {
  const char16_t* name;
  std::uint64_t keywords;
  std::uint32_t level;  // 5: all
  const char16_t* filter;
};

// Innermost frame first; `function` 0: native frames. 0 goes on.
using StackFrameCallback = HResult (*)(RuntimeId function, RuntimeId ip, RuntimeId frame,
                                       std::uint32_t size, std::uint8_t* context, void* data);
// 0 ends it.
using ReferenceCallback = Bool (*)(RuntimeId object, RuntimeId* reference, void* data);
using ObjectCallback = Bool (*)(RuntimeId object, void* data);
// What the hooks get for a function; `hook` 0: none.
using FunctionMapper = RuntimeId (*)(RuntimeId function, void* data, Bool* hook);
using FunctionHook = void (*)();

namespace info {
#define METHOD(slot, name, ...) inline constexpr Method<slot __VA_OPT__(, ) __VA_ARGS__> k##name;
#include "agent/coreclr/runtime/info.def"
#undef METHOD
}  // namespace info

namespace detail {
extern std::atomic<void*> runtime;
}

// `unknown` is what Initialize() was given. False: it is too old for us.
bool hold_runtime(void* unknown);
void forget_runtime();
// It can show its heap at any time: from .NET 9 on.
bool shows_heap();

// True: the runtime did what it was asked; S_FALSE is no.
template <unsigned kSlot, class... Args>
bool ask(Method<kSlot, Args...> method, std::type_identity_t<Args>... args) {
  void* const runtime = detail::runtime.load(std::memory_order_acquire);
  return runtime != nullptr && call(runtime, method, args...) == kOk;
}

// "10.0.12"; "" where it is not told.
std::string runtime_version();
int runtime_major();  // 0 where it is not told

}  // namespace polytrace::agent::coreclr
