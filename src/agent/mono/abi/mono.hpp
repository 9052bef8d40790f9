// SPDX-License-Identifier: Apache-2.0
// The interface between Mono and a profiler module (version 3), so that no headers of Mono are
// needed to build the module. The process that loads it brings the functions. Names are Mono's, and
// the tables tell the rest: types.def, constants.def, functions.def, callbacks.def. A test compares
// them with Mono's own headers where those are at hand.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polytrace::agent::mono {

using MonoProfilerHandle = struct MonoProfilerDescription*;
struct MonoObject;

#define OPAQUE(name) struct name;
#define ENUM(name) enum name : std::uint32_t {};
#define TYPE(name, ...) using name = __VA_ARGS__;
#include "agent/mono/abi/types.def"
#undef TYPE
#undef ENUM
#undef OPAQUE

// The head of every object.
struct MonoObject {
  MonoVTable* vtable;
  void* synchronisation;
};

#define CONSTANT(type, name, value) inline constexpr type name{value};
#include "agent/mono/abi/constants.def"
#undef CONSTANT

extern "C" {

#define FUNCTION(result, name, ...) result name(__VA_ARGS__);
#include "agent/mono/abi/functions.def"
#undef FUNCTION

#define CALLBACK(name, ...)                                    \
  void mono_profiler_set_##name##_callback(MonoProfilerHandle, \
                                           void (*)(MonoProfiler * __VA_OPT__(, ) __VA_ARGS__));
#include "agent/mono/abi/callbacks.def"
#undef CALLBACK

}  // extern "C"

}  // namespace polytrace::agent::mono
