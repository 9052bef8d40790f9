// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/held.hpp"

#include <array>

namespace polytrace::format::tracelog {
namespace {

struct Held {
  event::Kind kind;
  In dialects;
  std::string_view fields;
};

constexpr std::array kHeld{
#define HELD(Type, dialects, fields) Held{event::Kind::Type, In::dialects, " " fields " "},
#include "format/tracelog/held.def"
#undef HELD
};

const Held* find_held(event::Kind kind) {
  for (const Held& held : kHeld) {
    if (held.kind == kind) return &held;
  }
  return nullptr;
}

}  // namespace

bool is_held(event::Kind kind, Dialect dialect) {
  const Held* const held = find_held(kind);
  return held != nullptr && is_in(held->dialects, dialect);
}

std::string_view held_fields(event::Kind kind) {
  const Held* const held = find_held(kind);
  return held == nullptr ? std::string_view(" ") : held->fields;
}

}  // namespace polytrace::format::tracelog
