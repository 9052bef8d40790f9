// SPDX-License-Identifier: Apache-2.0
// Our tables of Mono's interfaces against its own headers. Functions of the same names cannot be
// declared twice: the rows are read with its types, without our header.
#include <mono/jit/jit.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>
#include <mono/utils/mono-counters.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi/compare.hpp"

namespace {

void compare_mono_types(Comparison& test) {
#define OPAQUE(name) test.same(std::is_class_v<name>, "struct", #name);
#define ENUM(name) \
  test.same(std::is_enum_v<name> && sizeof(name) == sizeof(std::uint32_t), "enum", #name);
#define TYPE(name, ...) test.same(std::is_same_v<name, __VA_ARGS__>, "type", #name);
#include "agent/mono/abi/types.def"
#undef TYPE
#undef ENUM
#undef OPAQUE
#define CONSTANT(type, name, value) \
  test.same(static_cast<long>(name) == (value), "constant", #name);
#include "agent/mono/abi/constants.def"
#undef CONSTANT
  test.same(offsetof(MonoObject, vtable) == 0 && sizeof(MonoObject) == 2 * sizeof(void*), "struct",
            "MonoObject");
  test.same(std::is_pointer_v<MonoProfilerHandle>, "type", "MonoProfilerHandle");
}

void compare_mono_functions(Comparison& test) {
#define FUNCTION(result, name, ...) \
  test.same(std::is_same_v<decltype(name), result(__VA_ARGS__)>, "function", #name);
#include "agent/mono/abi/functions.def"
#undef FUNCTION
#define CALLBACK(name, ...)                                                            \
  test.same(std::is_same_v<decltype(mono_profiler_set_##name##_callback),              \
                           void(MonoProfilerHandle,                                    \
                                void (*)(MonoProfiler * __VA_OPT__(, ) __VA_ARGS__))>, \
            "callback", #name);
#include "agent/mono/abi/callbacks.def"
#undef CALLBACK
}

}  // namespace

int main() {
  Comparison test;
  test.same(MONO_PROFILER_API_VERSION == 3, "version", "of the profiler interface");
  compare_mono_types(test);
  compare_mono_functions(test);
  return test.end(POLYTRACE_HEADERS);
}
