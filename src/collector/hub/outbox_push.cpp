// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/outbox_push.hpp"

#include <fmt/format.h>

namespace polytrace::collector {
namespace {

constexpr std::size_t kRowsToOutbox = 200'000;

class OutboxPush final : public PushTarget {
 public:
  OutboxPush(Outbox& outbox, OutboxPushOptions options)
      : outbox_(outbox), options_(std::move(options)) {}

  // Whoever sends the file again makes the same batches; how often it was is not known here.
  void begin(const SeriesIds& ids, const warehouse::Labels&) override {
    origin_ = {fmt::format("push-{:016x}-{:016x}", ids.series, ids.stream), 0, 1};
  }
  void take(Rows&& rows) override {
    waiting_.append(std::move(rows));
    if (waiting_.size() >= kRowsToOutbox) send();
  }
  void finish() override { send(); }

 private:
  void send() {
    if (!error_) {
      const auto kept = keep(blocks_of(waiting_, options_.shards));
      if (!kept) error_ = kept.error();
      else if (options_.more) options_.more();
    }
    waiting_ = {};
  }
  base::result<void> keep(std::vector<Block> blocks) {
    const auto turn = outbox_.turn();
    for (Block& block : blocks) {
      block.database = options_.database;
      block.origin = origin_;
      ++origin_.number;
      if (const auto number = outbox_.append(block); !number)
        return base::Unexpected(number.error());
      delivered_.rows += block.rows;
    }
    return outbox_.sync();
  }

  Outbox& outbox_;
  const OutboxPushOptions options_;
  Origin origin_{};
  Rows waiting_;
};

}  // namespace

std::unique_ptr<PushTarget> push_to_outbox(Outbox& outbox, OutboxPushOptions options) {
  return std::make_unique<OutboxPush>(outbox, std::move(options));
}

}  // namespace polytrace::collector
