// SPDX-License-Identifier: Apache-2.0
// Our tables of the JVM's interfaces against the headers of a JDK. Ours come first: theirs define
// macros of the same names. Types in rows are theirs here.
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "abi/compare.hpp"
#include "agent/jvm/abi/jvmti.hpp"

// Theirs.
#include <jni.h>
#include <jvmti.h>

namespace ours = polytrace::agent::jvm;

namespace {

// Of the JDK whose headers these are.
constexpr int kLevel = (JVMTI_VERSION >> 16) & 0xFFF;

void compare_jvm_types(Comparison& test) {
#define TYPE(name, ...) test.same(std::is_same_v<::name, __VA_ARGS__>, "type", #name);
#include "agent/jvm/abi/types.def"
#undef TYPE
#define CONSTANT(type, name, value)                                                     \
  test.same(static_cast<long>(name) == (value) && sizeof(::type) == sizeof(ours::type), \
            "constant", #name);
#include "agent/jvm/abi/constants.def"
#undef CONSTANT
  test.same(sizeof(::jvalue) == sizeof(ours::jvalue), "size of", "jvalue");
  test.same(sizeof(::jvmtiEvent) == sizeof(ours::jvmtiEvent), "size of", "jvmtiEvent");
}

void compare_jvm_structs(Comparison& test) {
#define OTHERS(count, field)
#define FIELD(type, field)                                      \
  test.same(offsetof(Theirs, field) == offsetof(Ours, field) && \
                std::is_same_v<decltype(Theirs::field), type>,  \
            "field", #field);
#define STRUCT(name, fields)                                     \
  {                                                              \
    using Theirs = ::name;                                       \
    using Ours = ours::name;                                     \
    test.same(sizeof(Theirs) == sizeof(Ours), "size of", #name); \
    fields                                                       \
  }
#include "agent/jvm/abi/structs.def"
#undef STRUCT
#undef FIELD
#undef OTHERS
}

void compare_jvm_functions(Comparison& test) {
#define FUNCTION(slot, result, name, ...)                                           \
  test.same(offsetof(Table, name) == (slot) * sizeof(void*) &&                      \
                std::is_same_v<decltype(Table::name),                               \
                               result (*)(Interface * __VA_OPT__(, ) __VA_ARGS__)>, \
            "function", #name);
  {
    using Table = JNINativeInterface_;
    using Interface = ::JNIEnv;
#include "agent/jvm/abi/jni.def"
  }
  {
    using Table = JNIInvokeInterface_;
    using Interface = ::JavaVM;
#include "agent/jvm/abi/java_vm.def"
  }
  {
    using Table = jvmtiInterface_1_;
    using Interface = ::jvmtiEnv;
#include "agent/jvm/abi/jvmti.def"
  }
#undef FUNCTION
}

// Where our set() puts a callback.
template <class... Args>
std::size_t place_of(ours::Event<Args...> event) {
  ours::jvmtiEventCallbacks all{};
  all.set(event, [](ours::jvmtiEnv*, Args...) {});
  std::size_t slot = 0;
  while (all.functions[slot] == nullptr) ++slot;
  return slot * sizeof(void*);
}

// Templates, since headers of older JDKs lack what is later.
template <class Theirs>
void compare_jvm_events(Comparison& test) {
#define EVENT(number, since, constant, field, ...)                      \
  if constexpr (requires { &Theirs::field; }) {                         \
    using Callback = void (*)(::jvmtiEnv * __VA_OPT__(, ) __VA_ARGS__); \
    test.same(offsetof(Theirs, field) == place_of(ours::constant) &&    \
                  std::is_same_v<decltype(Theirs::field), Callback>,    \
              "event", #constant);                                      \
  } else {                                                              \
    test.same(kLevel < (since), "event", #constant);                    \
  }
#include "agent/jvm/abi/events.def"
#undef EVENT
}

template <class Theirs>
void compare_jvm_capabilities(Comparison& test) {
  static_assert(sizeof(Theirs) == sizeof(ours::jvmtiCapabilities));
#define CAPABILITY(bit, since, name)                                               \
  if constexpr (requires(Theirs all) { all.name; }) {                              \
    Theirs theirs{};                                                               \
    theirs.name = 1;                                                               \
    ours::jvmtiCapabilities mine{};                                                \
    mine.add(ours::name);                                                          \
    test.same(std::memcmp(&theirs, &mine, sizeof mine) == 0, "capability", #name); \
  } else {                                                                         \
    test.same(kLevel < (since), "capability", #name);                              \
  }
#include "agent/jvm/abi/capabilities.def"
#undef CAPABILITY
}

}  // namespace

int main() {
  Comparison test;
  compare_jvm_types(test);
  compare_jvm_structs(test);
  compare_jvm_functions(test);
  compare_jvm_events<::jvmtiEventCallbacks>(test);
  compare_jvm_capabilities<::jvmtiCapabilities>(test);
  return test.end(POLYTRACE_HEADERS);
}
