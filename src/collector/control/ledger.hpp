// SPDX-License-Identifier: Apache-2.0
// Rows of `commands` on their way: appended to the outbox and synced by a thread of its own, so
// that the loop never waits for the disk. Each is counted in commands_total.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "collector/flow/figures.hpp"
#include "collector/keep/outbox.hpp"

namespace polytrace::collector {

class Ledger {
 public:
  // `more`: the outbox has more. All outlive it.
  Ledger(Outbox& outbox, std::function<void()> more, Figures& figures, Tell tell);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  // Writes what it was given.
  ~Ledger();

  // Any thread. `kept` is called by the ledger's thread: whether the row is on the disk.
  void write(warehouse::CommandDone row, const std::string& database,
             std::function<void(bool)> kept);

 private:
  struct Entry {
    warehouse::CommandDone row{};
    std::string database{};
    std::function<void(bool)> kept{};
  };
  void run();
  bool put(const std::vector<Entry>& entries);

  Outbox& outbox_;
  const std::function<void()> more_;
  Figures& figures_;
  Tell tell_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::vector<Entry> entries_{};
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace polytrace::collector
