// SPDX-License-Identifier: Apache-2.0
// From the engine's states to values.
#pragma once

#include "history/layout/state.hpp"
#include "history/read/strings.hpp"

namespace polytrace::history {

// False when the text is not there. REQUIRES: not absent.
inline bool set_value(const State& state, const Strings& strings, Value& value) {
  std::string_view text;
  if (is_text(state.tag)) {
    const auto found = strings.text(state.payload);
    if (!found) return false;
    text = *found;
  }
  const bool is_null = presence_of(state.tag) == Presence::null;
  value = Value::from(is_null ? Type::open : static_cast<Type>(type_of(state.tag)), state.payload,
                      text);
  return true;
}

}  // namespace polytrace::history
