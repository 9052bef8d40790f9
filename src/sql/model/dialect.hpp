// SPDX-License-Identifier: Apache-2.0
// What Perfetto's dialect has beyond SQL, at the beginning of statements.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::sql {

// As SQLite has it, as long as before: "CREATE PERFETTO TABLE x" becomes a temporary one; "INCLUDE
// PERFETTO MODULE ..." of what is built in becomes blanks up to its semicolon.
std::string in_our_dialect(std::string_view sql);

}  // namespace polytrace::sql
