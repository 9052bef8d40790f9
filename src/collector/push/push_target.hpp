// SPDX-License-Identifier: Apache-2.0
// Where the rows of pushed files go: a store, or a server of another system. One thread at a time.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/notices.hpp"
#include "collector/aggregate/row_maker.hpp"
#include "collector/send/sender.hpp"
#include "warehouse/ids.hpp"

namespace polytrace::collector {

struct TargetOptions {
  base::Time now = 0;                              // wall time
  const std::atomic<bool>* stop = nullptr;         // once true, nothing is tried again
  std::function<void(const std::string&)> tell{};  // of what is tried again
};

// What became of the rows of one file.
struct Delivered {
  std::uint64_t rows = 0;
  std::uint64_t retries = 0;
  std::uint64_t messages = 0;  // to another system
  unsigned before = 0;         // how often the store had it already
  base::Notices notices{};     // what a server did not take of what it took
};

class PushTarget {
 public:
  PushTarget() = default;
  PushTarget(const PushTarget&) = delete;
  PushTarget& operator=(const PushTarget&) = delete;
  virtual ~PushTarget() = default;

  // Rows of one series of one file follow, until the next begin().
  virtual void begin(const SeriesIds& ids, const warehouse::Labels& labels) = 0;
  virtual void take(Rows&& rows) = 0;
  // No more of that series. After an error nothing is sent.
  virtual void finish() = 0;

  const std::optional<base::Error>& error() const { return error_; }
  // Of the file so far; begins anew then.
  Delivered take_delivered() { return std::exchange(delivered_, {}); }

 protected:
  std::optional<base::Error> error_{};
  Delivered delivered_{};
};

// A fleet's store: each row to its shard of these. They outlive it; tables must be there
// (open_store).
std::unique_ptr<PushTarget> push_to_store(std::vector<warehouse::Replicas>& shards,
                                          TargetOptions options);

}  // namespace polytrace::collector
