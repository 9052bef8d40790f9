// SPDX-License-Identifier: Apache-2.0
// What each kind of event is to a cut: roles.def, held against event/kinds.def.
#pragma once

#include "event/details.hpp"

namespace polytrace::transform {

enum class Role : std::uint8_t { heading, definition, call, moment };

struct KindRole {
  event::Kind kind;
  Role role;
};
inline constexpr KindRole kRoles[] = {
#define ROLE(Type, role) {event::Kind::Type, Role::role},
#include "transform/roles.def"
#undef ROLE
};

constexpr bool roles_are_complete() {
  if (std::size(kRoles) != event::kKindCount) return false;
  for (std::size_t i = 0; i < event::kKindCount; ++i) {
    if (kRoles[i].kind != static_cast<event::Kind>(i)) return false;
  }
  return true;
}
static_assert(roles_are_complete(), "roles.def: one line for each kind, in order");

constexpr Role role_of(event::Kind kind) { return kRoles[static_cast<std::size_t>(kind)].role; }

}  // namespace polytrace::transform
