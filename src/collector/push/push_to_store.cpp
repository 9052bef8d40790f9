// SPDX-License-Identifier: Apache-2.0
// Rows on their way to a store, some hundred thousand at a time.
#include <fmt/format.h>

#include <algorithm>

#include "collector/push/push_target.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kRowsAtOnce = 200'000;

class StorePush final : public PushTarget {
 public:
  StorePush(std::vector<warehouse::Replicas>& shards, TargetOptions options)
      : shards_(shards), options_(std::move(options)) {}

  // A store that has some of it already must be told, so that nobody counts both.
  void begin(const SeriesIds& ids, const warehouse::Labels&) override {
    edge_ = fmt::format("push-{:016x}-{:016x}", ids.series, ids.stream);
    senders_.clear();
    number_ = 0;
    before_ = 0;
    for (warehouse::Replicas& shard : shards_) {
      senders_.emplace_back(
          shard, SenderOptions{.tries = 5, .stop = options_.stop, .tell = options_.tell});
      if (error_) continue;
      const auto known =
          shard.ask(fmt::format("SELECT toUInt64(max(attempts)) FROM {}.batches WHERE edge = '{}'",
                                shard.link().database(), edge_));
      if (!known) error_ = known.error();
      else if (known->size() == sizeof(std::uint64_t))
        before_ = std::max(before_, static_cast<unsigned>((*known)[0]));
    }
    delivered_.before = std::max(delivered_.before, before_);
  }
  void take(Rows&& rows) override {
    waiting_.append(std::move(rows));
    if (waiting_.size() >= kRowsAtOnce) send();
  }
  void finish() override {
    send();
    for (const Sender& sender : senders_) {
      delivered_.rows += sender.rows();
      delivered_.retries += sender.retries();
    }
  }

 private:
  void send() {
    const auto written =
        static_cast<std::uint32_t>(std::clamp<Time>(options_.now / kSecond, 0, ~std::uint32_t{0}));
    for (const Block& block : blocks_of(waiting_, static_cast<std::uint32_t>(shards_.size()))) {
      if (error_) break;
      const Sending one{block, edge_, number_++, before_};
      const auto sent = senders_[block.shard].send({&one, 1}, written);
      if (!sent) error_ = sent.error();
    }
    waiting_ = {};
  }

  std::vector<warehouse::Replicas>& shards_;
  const TargetOptions options_;
  std::vector<Sender> senders_;  // of each shard
  std::string edge_;             // who sends, as `batches` calls it
  Rows waiting_;
  std::uint64_t number_ = 0;
  unsigned before_ = 0;
};

}  // namespace

std::unique_ptr<PushTarget> push_to_store(std::vector<warehouse::Replicas>& shards,
                                          TargetOptions options) {
  return std::make_unique<StorePush>(shards, std::move(options));
}

}  // namespace polytrace::collector
