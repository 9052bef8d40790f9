// SPDX-License-Identifier: Apache-2.0
#include "fleet/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace polytrace::fleet {
namespace {

// ClickHouse's own: an answer that breaks off, none in time, no connection, a shard of which no
// replica answers.
constexpr std::array kNoShard = {32, 209, 210, 279};

// Within what one question may take of a server that others ask, too.
warehouse::Settings settings_of(bool is_everywhere, bool leaves_out) {
  warehouse::Settings settings{{"max_execution_time", "30"},
                               {"max_rows_to_read", "20000000000"},
                               {"max_memory_usage", "8000000000"},
                               {"max_query_size", "4194304"},
                               {"readonly", "2"}};
  // A server's own patience with others is 50 ms: too little for one that is busy.
  if (is_everywhere) settings.emplace_back("connect_timeout_with_failover_ms", "2000");
  if (leaves_out) settings.emplace_back("skip_unavailable_shards", "1");
  return settings;
}

}  // namespace

base::result<Store> Store::open(warehouse::LinkOptions options, Reach reach) {
  auto link = warehouse::Link::open(std::move(options));
  if (!link) return base::Unexpected(link.error());
  const auto version = warehouse::require_schema(*link);
  if (!version) return base::Unexpected(version.error());
  Store store(std::move(*link), *version);
  if (auto looked = store.look_for_shards(reach); !looked) return base::Unexpected(looked.error());
  return store;
}

base::result<void> Store::look_for_shards(Reach reach) {
  const auto found = rows<std::string, std::uint64_t>(fmt::format(
      "SELECT cluster, uniqExact(shard_num) FROM system.clusters WHERE cluster IN (SELECT "
      "extract(engine_full, '^Distributed\\\\(\\'?(\\\\w+)') FROM system.tables WHERE database = "
      "'{}' "
      "AND name = 'series_all' AND engine = 'Distributed') GROUP BY cluster",
      database()));
  if (!found) return base::Unexpected(found.error());
  if (found->empty()) return {};
  std::tie(cluster_, shards_.all) = found->front();
  shards_.answered = shards_.all;
  is_everywhere_ = reach == Reach::everywhere;
  return {};
}

base::result<std::vector<std::byte>> Store::ask(const std::string& sql, const warehouse::Ids& ids) {
  auto answer = link_.ask(sql, settings_of(is_everywhere_, leaves_out_), ids);
  const int code = link_.refusal().code;
  const bool may_do_without = !answer && is_everywhere_ && !leaves_out_ &&
                              std::ranges::find(kNoShard, code) != kNoShard.end();
  if (!may_do_without) return answer;
  leaves_out_ = true;
  if (auto counted = leave_out_missing(); !counted) return base::Unexpected(counted.error());
  return link_.ask(sql, settings_of(is_everywhere_, leaves_out_), ids);
}

// One row of each shard that answers.
base::result<void> Store::leave_out_missing() {
  const auto answered =
      row<std::uint64_t>(fmt::format("SELECT count() FROM cluster({}, system, one)", cluster_));
  if (!answered) return base::Unexpected(answered.error());
  shards_.answered = std::get<0>(*answered);
  return {};
}

}  // namespace polytrace::fleet
