// SPDX-License-Identifier: Apache-2.0
// The servers of the store that a collector is told of, looked at once. Any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collector/config/config.hpp"
#include "warehouse/shards.hpp"

namespace polytrace::collector {

// Of a server that cannot be reached, and why.
using TellAway = std::function<void(std::size_t shard, const base::Error& why)>;

// Of each shard its replicas, for that database, or where it is empty that of their addresses. A
// server that is away is told; one that has no tables never gets any by waiting. Errors: those of
// Link::open; schema_missing, schema_newer, also where a shard has replicas and its tables are of
// one server alone.
base::result<std::vector<warehouse::Replicas>> open_store(const Config& config,
                                                          const std::string& database,
                                                          const TellAway& away);
// The same, and no server is looked at: for more links to a store that was.
base::result<std::vector<warehouse::Replicas>> open_links(const Config& config,
                                                          const std::string& database);

}  // namespace polytrace::collector
