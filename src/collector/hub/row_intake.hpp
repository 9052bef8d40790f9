// SPDX-License-Identifier: Apache-2.0
// Batches of rows that edges send: POST /v1/rows/<table>, the bytes as an edge's outbox has them.
// Answered 200 once the rows are in our own outbox and on its medium; from then on they are ours to
// bring to the store. Each is unpacked, its rows are read and packed anew, into the database of the
// caller's tenant, for each shard of the store: nothing of it reaches a statement but rows that its
// table can have.
//
// 200 also for what came before: an edge that heard no answer sends the same again. 429, 503: come
// again (block_intake.hpp). 400, 403, 413: never as it is.
#pragma once

#include <deque>
#include <unordered_set>

#include "collector/config/config.hpp"
#include "collector/hub/block_intake.hpp"

namespace polytrace::collector {

struct RowIntakeOptions {
  std::vector<Tenant> tenants{};  // empty: all rows go to the store's own database
  std::uint32_t shards = 1;       // that the rows of a batch go to
  std::function<void()> more{};   // the outbox has more
};

class RowIntake {
 public:
  static constexpr std::uint64_t kMostPackedBatch = std::uint64_t{40} << 20;
  static constexpr std::uint64_t kMostUnpackedBatch = std::uint64_t{64} << 20;
  static constexpr std::uint64_t kMostRatio = 200;  // of both, where it is more than a MiB

  // All outlive it.
  RowIntake(Outbox& outbox, RowIntakeOptions options, Figures& figures, Tell tell);

  Route route();
  // What came another way, as a request with the route's rest and a caller who may push. Any
  // thread.
  void take(Call call) { intake_.take(std::move(call)); }

 private:
  struct Batch;
  struct Digest {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Digest&) const = default;
  };
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const { return digest.low; }
  };

  BlockIntake::Brought look_at(Call& call);
  std::optional<http::Reply> look_at(const Call& call, Batch& batch);
  std::optional<http::Reply> unpack_it(const Call& call, Batch& batch);
  static Digest digest_of(const Call& call, const Batch& batch);
  void remember(const Digest& digest);

  const RowIntakeOptions options_;
  Figures& figures_;
  Tell tell_;
  std::unordered_set<Digest, DigestHash> seen_;
  std::deque<Digest> order_;  // of them, the oldest first
  BlockIntake intake_;        // last: its thread uses the rest
};

}  // namespace polytrace::collector
