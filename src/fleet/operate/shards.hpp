// SPDX-License-Identifier: Apache-2.0
// What keeps a store, done to each of its shards, one after the other: a store of several has no
// server that could do it for all.
#pragma once

#include <functional>

#include "fleet/operate/operations.hpp"
#include "warehouse/shards.hpp"

namespace polytrace::fleet {

struct ShardOperation {
  std::string name;                                       // "roll"
  std::function<base::result<Report>(Store& store)> act;  // on that server's own tables
};

// Of each shard the first replica that answers. One shard: its report, or its error. Several: all
// are gone through, whatever becomes of one, and the report is of all. Its figures are sums, its
// tables begin with the number of the shard, and the first of them, "shards", has the figures of
// each; what could not be reached, or refused, is in there and in the notes. `link`: but for the
// address. REQUIRES: a shard, each with a replica.
base::result<Report> on_shards(const warehouse::ShardAddresses& shards,
                               const warehouse::LinkOptions& link, const ShardOperation& act);

}  // namespace polytrace::fleet
