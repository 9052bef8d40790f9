// SPDX-License-Identifier: Apache-2.0
// Statements of DuckDB as texts: where one ends, what it begins with, and its parameters.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/duckdb/api.hpp"
#include "sql/model/question.hpp"

namespace polytrace::sql {

// The first statement, up to its semicolon, which is no part of it; `used` is with it. Semicolons
// in texts, names and comments end nothing.
std::string_view first_statement(std::string_view sql, std::size_t& used);

// As DuckDB has parameters: ":name" of one of those is "$name".
std::string with_dollars(std::string_view statement, std::span<const Parameter> parameters);

// What is not allowed about a statement, in words; empty: it may run. Queries read, and write
// temporary tables of their connection.
std::string refused_by_kind(DuckStatementType kind, std::string_view statement, bool read_only);

}  // namespace polytrace::sql
