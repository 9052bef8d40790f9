// SPDX-License-Identifier: Apache-2.0
// Words with a dot that tell of tables, functions and examples: at the prompt and as a query.
#pragma once

#include <string_view>

#include "cli/frame/session.hpp"
#include "sql/engine.hpp"

namespace polytrace::cli {

// .tables, .schema [TABLE], .functions, .examples [WORD]. Returns the exit code.
int run_dots(Session& session, const sql::Database& database, std::string_view line);

}  // namespace polytrace::cli
