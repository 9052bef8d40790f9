// SPDX-License-Identifier: Apache-2.0
#include "fleet/operate/stage.hpp"

#include <fmt/format.h>

#include <random>

namespace polytrace::fleet {

base::result<void> require_tiers(Store& store) {
  if (!store.has_tiers())
    return base::fail(base::Code::schema_missing,
                      store.name() + ": its version knows nothing of tiers");
  const auto days = store.row<std::uint32_t, std::uint32_t>(
      "SELECT toUInt32(toDateTime('2026-01-15 00:00:00')), "
      "toUInt32(toDateTime('2026-07-15 00:00:00'))");
  if (!days) return base::Unexpected(days.error());
  if (*days == std::tuple(1'768'435'200U, 1'784'073'600U)) return {};
  return base::fail(base::Code::usage,
                    store.name() +
                        ": the server's days are not those of UTC, which tiers need: set its "
                        "<timezone> to UTC");
}

base::result<Stage> Stage::make(Store& store, std::string_view table) {
  std::random_device random;
  const std::string name = fmt::format("{}{}{:08x}{:08x}", table, kStageMark, random(), random());
  if (auto made = store.link().run(warehouse::table_statement(store.database(), table, name));
      !made)
    return base::Unexpected(made.error());
  return Stage(store, table, name);
}

Stage::~Stage() {
  if (!name_.empty()) std::ignore = store_->link().run("DROP TABLE IF EXISTS " + name());
}

base::result<void> Stage::empty(std::uint32_t part) {
  return store_->link().run(fmt::format("ALTER TABLE {} DROP PARTITION {}", name(), part));
}

base::result<void> Stage::swap_in(std::uint32_t part) {
  return store_->link().run(fmt::format("ALTER TABLE {} REPLACE PARTITION {} FROM {}",
                                        store_->name_of(table_), part, name()));
}

}  // namespace polytrace::fleet
