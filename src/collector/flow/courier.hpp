// SPDX-License-Identifier: Apache-2.0
// The thread that takes batches from the outbox to the store, oldest first, until the store has
// them: the same bytes again and again where it must be. A batch that the store will never take is
// told, and tried again every minute: rows are not thrown away.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "collector/flow/figures.hpp"
#include "collector/keep/outbox.hpp"
#include "warehouse/link.hpp"

namespace polytrace::collector {

class Courier {
 public:
  // `edge`: who sends, as `batches` calls it.
  Courier(Outbox& outbox, warehouse::Link link, std::string edge, Figures& figures, Tell tell);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  ~Courier() { stop(); }

  // There may be more. Any thread.
  void wake();
  // Waits until the store has everything, at most so long. Whether it has.
  bool finish(std::chrono::milliseconds patience);
  void stop();

 private:
  void run();
  // How long to wait for the next try.
  std::chrono::milliseconds deliver();
  void tell_fault(const std::string& why);

  Outbox& outbox_;
  warehouse::Link link_;
  std::string edge_;
  Figures& figures_;
  Tell tell_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::condition_variable empty_;
  bool woken_ = false;
  std::atomic<bool> stopping_{false};
  std::chrono::milliseconds wait_{0};
  std::uint64_t failed_ = ~std::uint64_t{0};  // the batch that was tried before, and how often
  unsigned tries_ = 0;
  std::thread thread_;
};

}  // namespace polytrace::collector
