// SPDX-License-Identifier: Apache-2.0
// views.def as constants.
#pragma once

#include <span>
#include <string_view>

namespace polytrace::sql {

struct View {
  std::string_view name;
  std::string_view meaning;
  std::string_view query;
};
inline constexpr View kViews[]{
#define VIEW(name, meaning, query) {#name, meaning, query},
#include "sql/model/views.def"
#undef VIEW
};

}  // namespace polytrace::sql
