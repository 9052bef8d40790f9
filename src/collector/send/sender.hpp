// SPDX-License-Identifier: Apache-2.0
// Sends blocks to a store until it has them: where its answer is unclear the same bytes go again,
// which it knows as the same rows. With each goes what `batches` holds of it. One thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "collector/send/blocks.hpp"
#include "warehouse/shards.hpp"

namespace polytrace::collector {

// A block, and what `batches` calls it: whose it is, its number there, and how often it was sent
// already, as far as known. The same number with the same rows replaces itself.
struct Sending {
  const Block& block;
  std::string edge{};
  std::uint64_t number = 0;
  unsigned before = 0;
};

struct SenderOptions {
  unsigned tries = 10;                    // at most
  std::chrono::milliseconds wait{1'000};  // before the second; doubles
  std::chrono::milliseconds most_wait{60'000};
  const std::atomic<bool>* stop = nullptr;         // once true, nothing is tried again
  std::function<void(const std::string&)> tell{};  // of what is tried again, and why
};

class Sender {
 public:
  // To the servers of one shard, whose the blocks are.
  Sender(warehouse::Replicas& shard, SenderOptions options)
      : shard_(shard), options_(std::move(options)) {}

  // Blocks of one table and day as one, all or none of them. Errors are those of the link.
  base::result<void> send(std::span<const Sending> blocks, std::uint32_t written);
  std::uint64_t rows() const { return rows_; }  // that the store has now
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t retries() const { return retries_; }

  // Whether the same may go better later: no answer, too many parts, a server that stops.
  bool may_try_again() const;

 private:
  // How many tries it took.
  base::result<unsigned> insert(const Block& like, base::Bytes rows);
  void pause(std::chrono::milliseconds wait) const;

  warehouse::Replicas& shard_;
  SenderOptions options_;
  std::uint64_t rows_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t retries_ = 0;
};

}  // namespace polytrace::collector
