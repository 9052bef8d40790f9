// SPDX-License-Identifier: Apache-2.0
// The threads that take batches from the outbox to their targets, one for each: the shards of a
// store, so that one which is away keeps no other waiting, or a hub. Each sends the oldest that no
// other has, with what is like it where the target takes several as one, until the target has them:
// the same bytes again and again where it must be. A batch that is refused is told, set aside, and
// tried again every minute, while others go on: rows are not thrown away.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "collector/flow/figures.hpp"
#include "collector/keep/outbox.hpp"
#include "collector/target/target.hpp"

namespace polytrace::collector {

class Courier {
 public:
  // `edge`: who sends, as `batches` calls it. Takes what `of` has.
  Courier(Outbox& outbox, std::unique_ptr<Target> target, OfShard of, std::string edge,
          Figures& figures, Tell tell);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  ~Courier() { stop(); }

  // There may be more. Any thread.
  void wake();
  // Waits until the target has everything, at most so long. Whether it has.
  bool finish(std::chrono::milliseconds patience);
  void begin_stop();
  void stop();

 private:
  void run();
  // How long to wait for the next try.
  std::chrono::milliseconds deliver();
  std::chrono::milliseconds taken();
  std::chrono::milliseconds failed(const std::string& why);
  std::chrono::milliseconds refused(const std::string& why);
  std::chrono::milliseconds drop();
  void take_up();
  void tell_fault(const std::string& why);

  Outbox& outbox_;
  std::unique_ptr<Target> target_;
  const OfShard of_;
  std::string edge_;
  Figures& figures_;
  Tell tell_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::condition_variable empty_;
  bool woken_ = false;
  std::atomic<bool> stopping_{false};
  std::chrono::milliseconds wait_{0};
  std::vector<Outbox::Batch> sending_;  // until it is known that the target has them
  unsigned tries_ = 0;                  // of these
  std::size_t alone_ = 0;               // so many are sent one by one: together they were refused
  unsigned in_row_ = 0;                 // that were refused, and none was taken between
  std::optional<std::chrono::steady_clock::time_point> aside_since_{};  // of the first of these
  bool told_positions_ = false;                                         // that they are refused
  std::set<std::uint64_t> told_;  // of which it was said that they are refused
  std::thread thread_;
};

// One for each target; what is said of one is said of all.
class Couriers {
 public:
  Couriers(Outbox& outbox, Targets targets, const std::string& edge, Figures& figures,
           const Tell& tell);
  void wake();
  bool finish(std::chrono::milliseconds patience);
  void stop();

 private:
  std::vector<std::unique_ptr<Courier>> each_;
};

}  // namespace polytrace::collector
