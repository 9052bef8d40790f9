// SPDX-License-Identifier: Apache-2.0
// Sends blocks to a store until it has them: where its answer is unclear the same bytes go again,
// which it knows as the same rows. With each goes what `batches` holds of it. One thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "collector/send/blocks.hpp"
#include "warehouse/link.hpp"

namespace polytrace::collector {

struct SenderOptions {
  std::string edge{};                     // who sends, as `batches` calls it
  unsigned tries = 10;                    // at most
  std::chrono::milliseconds wait{1'000};  // before the second; doubles
  std::chrono::milliseconds most_wait{60'000};
  const std::atomic<bool>* stop = nullptr;         // once true, nothing is tried again
  std::function<void(const std::string&)> tell{};  // of what is tried again, and why
};

class Sender {
 public:
  Sender(warehouse::Link& link, SenderOptions options)
      : link_(link), options_(std::move(options)) {}

  // Of a batch of that number: the same number with the same rows replaces itself. `before`: how
  // often it was sent already, as far as known. Errors are those of the link.
  base::result<void> send(const Block& block, std::uint64_t number, std::uint32_t written,
                          unsigned before = 0);
  std::uint64_t rows() const { return rows_; }  // that the store has now
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t retries() const { return retries_; }

  // Whether the same may go better later: no answer, too many parts, a server that stops.
  bool may_try_again() const;

 private:
  // How many tries it took.
  base::result<unsigned> insert(const Block& block);
  void pause(std::chrono::milliseconds wait) const;

  warehouse::Link& link_;
  SenderOptions options_;
  std::uint64_t rows_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t retries_ = 0;
};

}  // namespace polytrace::collector
