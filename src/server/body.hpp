// SPDX-License-Identifier: Apache-2.0
// The members of a request's body, as all of the house read them.
#pragma once

#include "service/json/body.hpp"

namespace polytrace::server {

using Body = service::JsonBody;
using Members = service::JsonMembers;
inline constexpr std::uint64_t kMostLimit = service::kMostJsonItems;  // of rows, of names

}  // namespace polytrace::server
