// SPDX-License-Identifier: Apache-2.0
// What may be wrong with a query.
#pragma once

#include "base/codes.hpp"

namespace polytrace::sql {

inline constexpr base::Code kRefused = base::Code::usage;
inline constexpr base::Code kWrong = base::Code::usage;
inline constexpr base::Code kTimeout = base::Code::limit_exceeded;

}  // namespace polytrace::sql
