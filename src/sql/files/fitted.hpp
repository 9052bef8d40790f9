// SPDX-License-Identifier: Apache-2.0
// Cells as a column of one type has them, for files whose columns have one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sql/model/value.hpp"

namespace polytrace::sql {

// NULL, a whole number, a real or UTF-8; `text` is what the text of it may be of. In columns of
// texts numbers are texts, in columns of reals whole numbers are reals, as far as reals hold them.
// Errors: query_wrong, for what does not fit.
base::result<Value> fitted(const Value& cell, Type column, std::string_view name,
                           std::string& text);

}  // namespace polytrace::sql
