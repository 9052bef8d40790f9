// SPDX-License-Identifier: Apache-2.0
// From the engine's states to values.
#pragma once

#include <bit>

#include "history/state.hpp"
#include "history/strings.hpp"

namespace polytrace::history {

// False when the text is not there. REQUIRES: not absent.
inline bool set_value(const State& state, const Strings& strings, Value& value) {
  if (presence_of(state.tag) == Presence::null) return value = Value::null(), true;
  switch (static_cast<Type>(type_of(state.tag))) {
    case Type::boolean: value = Value::of(state.payload != 0); return true;
    case Type::integer: value = Value::of(static_cast<std::int64_t>(state.payload)); return true;
    case Type::real: value = Value::of(std::bit_cast<double>(state.payload)); return true;
    case Type::string:
    case Type::bytes: {
      const auto text = strings.text(state.payload);
      if (!text) return false;
      const bool is_string = type_of(state.tag) == code_of(Type::string);
      value = is_string ? Value::text(*text) : Value::bytes(*text);
      return true;
    }
    default: value = Value::exists(); return true;  // none, and types of later versions
  }
}

}  // namespace polytrace::history
