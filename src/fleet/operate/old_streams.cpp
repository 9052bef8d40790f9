// SPDX-License-Identifier: Apache-2.0
#include "fleet/operate/old_streams.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <thread>

namespace polytrace::fleet {
namespace {

using base::result;

constexpr std::chrono::milliseconds kLookEvery{100};
constexpr int kMostLooks = 600;
// Streams of which some rows are old and others are not: not many, since rows of one are merged.
const warehouse::Settings kLongStatement{{"max_query_size", "4194304"}};

std::string table_of(const Store& store) { return store.own_name_of(warehouse::Stream::kTable); }

result<OldStreams> count_old(Store& store, std::uint32_t before) {
  const auto found = store.row<std::uint64_t, std::uint64_t, std::uint32_t>(
      fmt::format("SELECT count(), sum(own), toUInt32(min(first)) FROM (SELECT stream, count() AS "
                  "own, toUInt32(min(touched)) AS first FROM {} GROUP BY stream HAVING "
                  "toUInt32(max(touched)) < {})",
                  table_of(store), before));
  if (!found) return base::Unexpected(found.error());
  const auto& [streams, rows, oldest] = *found;
  return OldStreams{streams, rows, oldest};
}

// " AND stream NOT IN (...)": a collector whose clock was set back told its last position with an
// older time than the one before.
result<std::string> but_for_younger(Store& store, std::uint32_t before) {
  const auto rows = store.rows<std::uint64_t>(
      fmt::format("SELECT stream FROM {0} GROUP BY stream HAVING toUInt32(min(touched)) < {1} AND "
                  "toUInt32(max(touched)) >= {1}",
                  table_of(store), before));
  if (!rows) return base::Unexpected(rows.error());
  if (rows->empty()) return std::string();
  std::vector<std::uint64_t> streams;
  for (const auto& [stream] : *rows) streams.push_back(stream);
  return fmt::format(" AND stream NOT IN ({})", fmt::join(streams, ","));
}

// Whether it was, within some patience: deleting goes on by itself.
result<bool> wait_until_deleted(Store& store) {
  for (int looked = 0; looked < kMostLooks; ++looked) {
    const auto left = store.row<std::uint64_t>(
        fmt::format("SELECT count() FROM system.mutations WHERE database = '{}' AND table = '{}' "
                    "AND is_done = 0",
                    store.database(), warehouse::Stream::kTable));
    if (!left) return base::Unexpected(left.error());
    if (std::get<0>(*left) == 0) return true;
    std::this_thread::sleep_for(kLookEvery);
  }
  return false;
}

}  // namespace

result<OldStreams> drop_old_streams(Store& store, std::uint32_t before, bool is_dry) {
  auto old = count_old(store, before);
  if (!old || is_dry || old->streams == 0) return old;
  const auto younger = but_for_younger(store, before);
  if (!younger) return base::Unexpected(younger.error());
  const auto begun =
      store.link().run(fmt::format("ALTER TABLE {} DELETE WHERE toUInt32(touched) < {}{}",
                                   table_of(store), before, *younger),
                       kLongStatement);
  if (!begun) return base::Unexpected(begun.error());
  const auto done = wait_until_deleted(store);
  if (!done) return base::Unexpected(done.error());
  old->is_done = *done;
  return old;
}

}  // namespace polytrace::fleet
