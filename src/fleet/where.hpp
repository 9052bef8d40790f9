// SPDX-License-Identifier: Apache-2.0
// Which processes a question is about: the language of conditions, which collectors read, too.
#pragma once

#include "warehouse/where/where.hpp"

namespace polytrace::fleet {

using warehouse::asks_for;
using warehouse::column_of;
using warehouse::is_key;
using warehouse::parse_where;
using warehouse::to_sql;
using warehouse::to_text;
using warehouse::Where;

}  // namespace polytrace::fleet
