// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "base/codes.hpp"
#include "collector/target/positions.hpp"
#include "warehouse/row_binary.hpp"
#include "warehouse/shards.hpp"

namespace polytrace::collector {
namespace {

constexpr std::chrono::milliseconds kConnectToStore{2'000};
constexpr std::chrono::milliseconds kAnswerOfStore{3'000};

class StorePositions final : public Positions {
 public:
  explicit StorePositions(const Config& config) : config_(config) {}

  Found find(std::uint64_t stream, const std::string& database) override {
    auto shards = shards_of(database);
    if (!shards) return base::Unexpected(shards.error());
    std::optional<warehouse::Stream> furthest;
    for (warehouse::Replicas& shard : **shards) {
      auto row = ask(shard, stream);
      if (!row) return row;
      if (*row && (!furthest || (*row)->version > furthest->version)) furthest = std::move(*row);
    }
    return furthest;
  }

 private:
  using Shards = std::vector<warehouse::Replicas>;

  base::result<Shards*> shards_of(const std::string& database) {
    const auto found = by_database_.find(database);
    if (found != by_database_.end()) return &found->second;
    warehouse::LinkOptions options;
    options.user = config_.user;
    options.password_file = config_.password_file;
    options.database = database;
    options.connect_within = kConnectToStore;
    options.answer_within = kAnswerOfStore;
    auto opened = warehouse::open_shards(config_.store, options);
    if (!opened) return base::Unexpected(opened.error());
    return &by_database_.emplace(database, std::move(*opened)).first->second;
  }

  static Found ask(warehouse::Replicas& shard, std::uint64_t stream) {
    const auto answer = shard.ask(
        fmt::format("SELECT {} FROM {}.streams WHERE stream = {} ORDER BY version DESC LIMIT 1",
                    warehouse::column_names<warehouse::Stream>(), shard.link().database(), stream));
    if (!answer) return base::Unexpected(answer.error());
    if (answer->empty()) return std::nullopt;
    base::Cursor in(*answer, 0);
    warehouse::Stream row;
    if (!warehouse::read_row(in, row) || in.left() != 0)
      return base::fail(base::Code::read_failed, "the store's answer is no row of streams");
    return row;
  }

  const Config& config_;
  std::map<std::string, Shards> by_database_;
};

}  // namespace

std::unique_ptr<Positions> store_positions(const Config& config) {
  return std::make_unique<StorePositions>(config);
}

}  // namespace polytrace::collector
