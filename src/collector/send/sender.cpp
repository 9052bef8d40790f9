// SPDX-License-Identifier: Apache-2.0
#include "collector/send/sender.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace polytrace::collector {
namespace {

// ClickHouse's own: memory limit, too many queries, too many parts, time-outs, a table that is
// read-only while its replica starts.
constexpr std::array kPassing = {159, 202, 209, 210, 241, 242, 252, 319};
constexpr std::chrono::milliseconds kLook{100};

}  // namespace

bool Sender::may_try_again() const {
  const warehouse::Refusal& refusal = shard_.refusal();
  return refusal.status == 0 || refusal.status == 429 || refusal.status == 503 ||
         std::ranges::find(kPassing, refusal.code) != kPassing.end();
}

void Sender::pause(std::chrono::milliseconds wait) const {
  for (; wait.count() > 0 && (options_.stop == nullptr || !*options_.stop); wait -= kLook)
    std::this_thread::sleep_for(std::min(wait, kLook));
}

base::result<unsigned> Sender::insert(const Block& like, base::Bytes rows) {
  std::chrono::milliseconds wait = options_.wait;
  for (unsigned tried = 1;; ++tried) {
    const auto sent = shard_.insert(like.table, like.columns, rows);
    if (sent) return tried;
    const bool stops = options_.stop != nullptr && *options_.stop;
    if (tried >= options_.tries || stops || !may_try_again()) return base::Unexpected(sent.error());
    if (options_.tell) options_.tell(base::to_text(sent.error()));
    ++retries_;
    pause(wait);
    wait = std::min(wait * 2, options_.most_wait);
  }
}

base::result<void> Sender::send(std::span<const Sending> blocks, std::uint32_t written) {
  const Block& first = blocks.front().block;
  base::Appender joined;
  if (blocks.size() > 1)
    for (const Sending& one : blocks) joined.bytes(one.block.bytes.view());
  const auto tries = insert(first, blocks.size() > 1 ? joined.view() : first.bytes.view());
  if (!tries) return base::Unexpected(tries.error());
  std::vector<warehouse::Batch> batches;
  for (const auto& [block, edge, number, before] : blocks) {
    rows_ += block.rows;
    ++blocks_;
    for (const HourTotal& total : block.totals)
      batches.push_back({edge, number, std::string(block.table), block.day, total.hour, total.rows,
                         total.count, total.weight,
                         static_cast<std::uint8_t>(std::min(before + *tries, 255U)), written});
  }
  if (batches.empty()) return {};
  const Block told = block_of(batches);
  return insert(told, told.bytes.view()).map([](unsigned) {});
}

}  // namespace polytrace::collector
