// SPDX-License-Identifier: Apache-2.0
#include "transform/ids.hpp"

namespace polytrace::transform {

const std::array<IdRole, event::kKindCount>& subject_roles() {
  static const auto kSubjectRoles = [] {
    std::array<IdRole, event::kKindCount> roles{};
    for (std::size_t i = 0; i < roles.size(); ++i) {
      roles[i] = role_of_id(event::describe(static_cast<event::Kind>(i)).subject);
    }
    return roles;
  }();
  return kSubjectRoles;
}

}  // namespace polytrace::transform
