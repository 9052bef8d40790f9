// SPDX-License-Identifier: Apache-2.0
// What queries hand their intervals to.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>

#include "history/model/value.hpp"

namespace polytrace::history {

// Refers to any callable void(const Interval&) or bool(const Interval&), which it does not own: it
// lives for the length of one call. A callable that returns false ends the query early, without
// an error.
class Visitor {
 public:
  template <std::invocable<const Interval&> Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, Visitor>)
  // Not explicit: a lambda is what callers write.
  Visitor(Callable&& callable)
      : callable_(address_of(callable)), call_([](void* known, const Interval& interval) {
          auto& target = *reinterpret_cast<std::remove_reference_t<Callable>*>(known);
          if constexpr (std::is_void_v<std::invoke_result_t<Callable, const Interval&>>) {
            target(interval);
            return true;
          } else {
            return static_cast<bool>(target(interval));
          }
        }) {}

  bool operator()(const Interval& interval) const { return call_(callable_, interval); }

 private:
  // Plain functions, too.
  template <class Callable>
  static void* address_of(Callable& callable) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(std::addressof(callable)));
  }

  void* callable_;
  bool (*call_)(void*, const Interval&);
};

}  // namespace polytrace::history
