// SPDX-License-Identifier: Apache-2.0
// Questions that people have of a trace, and the queries that answer them: cookbook.def.
#pragma once

#include <span>
#include <string_view>

namespace polytrace::sql {

struct Example {
  std::string_view question;
  std::string_view query;  // without its semicolon
};

std::span<const Example> cookbook();
// Whether the word, in letters of either case, is in it; an empty one is.
bool is_about(const Example& example, std::string_view word);

}  // namespace polytrace::sql
