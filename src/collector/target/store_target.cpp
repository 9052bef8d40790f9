// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <map>

#include "base/codes.hpp"
#include "base/wall_clock.hpp"
#include "collector/send/sender.hpp"
#include "collector/target/open_store.hpp"
#include "collector/target/target.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kInsertsAtOnce = 2;

// One shard; of each database its servers.
class StoreTarget final : public Target {
 public:
  using ByDatabase = std::map<std::string, warehouse::Replicas>;
  explicit StoreTarget(ByDatabase databases) : databases_(std::move(databases)) {}

  // An insert costs a server as much as many rows do.
  std::size_t bytes_at_once() const override { return std::size_t{8} << 20; }
  // A batch of another collector keeps its name and number, so that it is the same one whichever
  // hub it comes by.
  base::result<void> send(std::span<const Outbox::Batch> batches, const std::string& edge,
                          unsigned before) override {
    const std::string& database = batches.front().block.database;
    const auto found = databases_.find(database);
    may_try_again_ = false;
    if (found == databases_.end())
      return base::fail(base::Code::usage, "no tenant has the database \"" + database +
                                               "\" any more: name it in the configuration");
    last_ = &found->second;
    std::vector<Sending> all;
    for (const Outbox::Batch& batch : batches) {
      const Origin& origin = batch.block.origin;
      const bool is_ours = origin.edge.empty();
      all.push_back({batch.block, is_ours ? edge : origin.edge,
                     is_ours ? batch.number : origin.number,
                     before + batch.again + origin.sent_before});
    }
    Sender sender(*last_, {.tries = 1});
    auto sent = sender.send(all, static_cast<std::uint32_t>(base::wall_seconds()));
    may_try_again_ = sender.may_try_again();
    return sent;
  }
  bool may_try_again() const override { return may_try_again_; }
  std::string name() const override {
    return (last_ != nullptr ? *last_ : databases_.begin()->second).link().address();
  }

 private:
  ByDatabase databases_;
  warehouse::Replicas* last_ = nullptr;
  bool may_try_again_ = true;
};

}  // namespace

base::result<Targets> store_targets(const Config& config, const TellAway& away) {
  std::vector<std::string> databases;
  for (const Tenant& tenant : config.tenants) databases.push_back(tenant.database);
  if (databases.empty()) databases.emplace_back();
  Targets targets(config.store.size());
  for (std::size_t i = 0; i < kInsertsAtOnce; ++i) {
    std::vector<StoreTarget::ByDatabase> shards(config.store.size());
    for (const std::string& database : databases) {
      // Servers are looked at once.
      auto opened = i == 0 ? open_store(config, database, away) : open_links(config, database);
      if (!opened) return base::Unexpected(opened.error());
      for (std::size_t shard = 0; shard < shards.size(); ++shard)
        shards[shard].emplace(database, std::move((*opened)[shard]));
    }
    for (std::size_t shard = 0; shard < shards.size(); ++shard)
      targets[shard].push_back(std::make_unique<StoreTarget>(std::move(shards[shard])));
  }
  return targets;
}

}  // namespace polytrace::collector
