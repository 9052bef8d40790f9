// SPDX-License-Identifier: Apache-2.0
// What the head of a request says of the piece in its body (push/upload.hpp). Pure; thread-safe.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/messages.hpp"

namespace polytrace::collector {

struct PieceHead {
  std::string id{};  // 32 hexadecimal digits, lower case
  std::uint64_t total = 0;
  std::optional<std::uint64_t> first{};  // none: how far is it?
};

// Whether the request brings a piece; else it brings all.
bool is_piece(const http::Request& request);
// Of such a request, against the length of its body. Errors are usage, and name what is wrong.
base::result<PieceHead> parse_piece(const http::Request& request);

}  // namespace polytrace::collector
