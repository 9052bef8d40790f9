// SPDX-License-Identifier: Apache-2.0
// The tool interface of a Java VM: its functions, its events, and what it may be able to do.
#pragma once

#include <type_traits>

#include "agent/jvm/abi/jni.hpp"

namespace polytrace::agent::jvm {

// An event's number, and what its callback takes after the jvmtiEnv.
template <class... Args>
struct Event {
  int number;
  constexpr operator jvmtiEvent() const { return static_cast<jvmtiEvent>(number); }
};
#define EVENT(number, since, constant, name, ...) \
  inline constexpr Event<__VA_ARGS__> constant{number};
#include "agent/jvm/abi/events.def"
#undef EVENT

// As the VM takes it, to the last event that is known here.
struct jvmtiEventCallbacks {
  void* functions[JVMTI_EVENT_VIRTUAL_THREAD_END.number - JVMTI_MIN_EVENT_TYPE_VAL + 1];

  template <class... Args>
  void set(Event<Args...> event, void (*callback)(jvmtiEnv*, std::type_identity_t<Args>...)) {
    functions[event.number - JVMTI_MIN_EVENT_TYPE_VAL] = reinterpret_cast<void*>(callback);
  }
};

enum class Capability : unsigned char {
#define CAPABILITY(bit, since, name) name = bit,
#include "agent/jvm/abi/capabilities.def"
#undef CAPABILITY
};
using enum Capability;

struct jvmtiCapabilities {
  std::uint32_t bits[4];

  bool has(Capability what) const {
    const auto bit = static_cast<unsigned>(what);
    return (bits[bit / 32] >> bit % 32 & 1) != 0;
  }
  void add(Capability what, bool wanted = true) {
    const auto bit = static_cast<unsigned>(what);
    if (wanted) bits[bit / 32] |= std::uint32_t{1} << bit % 32;
  }
};

#define FUNCTION(slot, result, name, ...)                                   \
  template <class... Given>                                                 \
  result name(Given... given) {                                             \
    using Function = result (*)(decltype(this) __VA_OPT__(, ) __VA_ARGS__); \
    return reinterpret_cast<Function>(functions[slot])(this, given...);     \
  }
struct jvmtiEnv {
  void* const* functions;
#include "agent/jvm/abi/jvmti.def"
};
#undef FUNCTION

}  // namespace polytrace::agent::jvm
