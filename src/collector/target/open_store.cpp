// SPDX-License-Identifier: Apache-2.0
#include "collector/target/open_store.hpp"

#include "base/codes.hpp"
#include "warehouse/schema.hpp"

namespace polytrace::collector {
namespace {

base::result<void> look_at(warehouse::Link& link, bool replicated) {
  if (const auto version = warehouse::require_schema(link); !version)
    return base::Unexpected(version.error());
  if (!replicated) return {};
  const auto has = warehouse::has_replicas(link);
  if (!has) return base::Unexpected(has.error());
  if (*has) return {};
  return base::fail(base::Code::schema_missing,
                    link.address() + "/" + link.database() +
                        ": its tables have no replicas: polytrace fleet schema --apply "
                        "--replicated makes such in an empty database");
}

}  // namespace

base::result<std::vector<warehouse::Replicas>> open_links(const Config& config,
                                                          const std::string& database) {
  warehouse::LinkOptions options;
  options.user = config.user;
  options.password_file = config.password_file;
  options.database = database;
  return warehouse::open_shards(config.store, options);
}

base::result<std::vector<warehouse::Replicas>> open_store(const Config& config,
                                                          const std::string& database,
                                                          const TellAway& away) {
  auto shards = open_links(config, database);
  if (!shards) return shards;
  for (std::size_t i = 0; i < shards->size(); ++i)
    for (warehouse::Link& link : (*shards)[i].links()) {
      const auto ready = look_at(link, config.replicated);
      if (ready) continue;
      if (ready.error().code != base::Code::store_unreachable)
        return base::Unexpected(ready.error());
      away(i, ready.error());
    }
  return shards;
}

}  // namespace polytrace::collector
