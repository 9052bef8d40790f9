// SPDX-License-Identifier: Apache-2.0
// The tables of a store: their statements (sql/*.sql, which are part of the program), which of them
// a store has, and how it gets them. A version is 100 for each file that changes what tables mean,
// and one more for each that only adds: who knows 1xx writes to any 1xx.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "warehouse/link.hpp"

namespace polytrace::warehouse {

inline constexpr std::uint32_t kSchemaVersion = 102;  // of this program
// From here on a store says what was rolled up and what was dropped.
inline constexpr std::uint32_t kTiersVersion = 101;
// From here on `streams` has what it takes to go on with a stream; older stores get the column.
inline constexpr std::uint32_t kPositionsVersion = 102;

enum class Engines { single, replicated };

// Each statement without its semicolon; the first makes the database. Creating says IF NOT EXISTS.
// REQUIRES: is_plain_name(database).
std::vector<std::string> schema_statements(const std::string& database, Engines engines);

// Those that make a table NAME_all for each, which asks all shards of a cluster that the server
// knows by that name; nothing is written through it. REQUIRES: is_plain_name(cluster).
std::vector<std::string> cluster_statements(const std::string& database,
                                            const std::string& cluster);

// The statement that makes a table `name` like `table`, on one server: a place to prepare rows in.
// REQUIRES: `table` is one of ours.
std::string table_statement(const std::string& database, std::string_view table,
                            std::string_view name);

// The highest version that was applied; nullopt where the store has no tables of ours.
base::result<std::optional<std::uint32_t>> schema_version(Link& link);

// Makes what is missing in the link's database and notes the version; nothing where it is there.
// Returns how many statements ran. Error: schema_newer.
base::result<std::size_t> apply_schema(Link& link, Engines engines, const std::string& program);

// Whether its tables are kept by several servers.
base::result<bool> has_replicas(Link& link);

// Its version; an error where a store cannot be written to or asked by this program: no tables, or
// of a newer major version.
base::result<std::uint32_t> require_schema(Link& link);

}  // namespace polytrace::warehouse
