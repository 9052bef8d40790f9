// SPDX-License-Identifier: Apache-2.0
// The prompt of `sql`: lines with history and completion, statements that go over several lines,
// and words with a dot. On a terminal alone.
#pragma once

#include "cli/sql/sql_options.hpp"

namespace polytrace::cli {

// Until .quit or the end of input. Returns the exit code.
int run_prompt(Session& session, SqlEngines& engines, const service::SqlTraces& traces,
               SqlOptions& options);

}  // namespace polytrace::cli
