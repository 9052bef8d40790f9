// SPDX-License-Identifier: Apache-2.0
// Who may ask: looked at before a body is read. The page's files hold no data and may be opened
// from anywhere; what is below /api answers only to who has the token, and not to other sites.
#pragma once

#include <optional>
#include <string>

#include "server/http/faults.hpp"

namespace polytrace::server {

inline constexpr std::string_view kApi = "/api/";

// Why the request is refused; nothing where it is not.
std::optional<Reply> refusal_of(const Request& head, std::string_view token);

}  // namespace polytrace::server
