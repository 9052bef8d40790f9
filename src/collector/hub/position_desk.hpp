// SPDX-License-Identifier: Apache-2.0
// Tells edges that have lost their folder where the rows of a stream end in the store:
//   POST /v1/streams/<16 hexadecimal digits of the stream>
// 200: its row of `streams`, packed as batches of rows are. 404: the store has none. 503: come
// again, for the store does not answer, or rows that came before the question are still on their
// way to it. Of the caller's tenant alone. On a thread of its own, at most kMostAtOnce together.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "collector/config/config.hpp"
#include "collector/door/door.hpp"
#include "collector/keep/outbox.hpp"
#include "collector/target/positions.hpp"

namespace polytrace::collector {

class PositionDesk {
 public:
  static constexpr std::size_t kMostAtOnce = 4096;

  // All outlive it.
  PositionDesk(const Outbox& outbox, const Config& config, Figures& figures, Tell tell);
  PositionDesk(const PositionDesk&) = delete;
  PositionDesk& operator=(const PositionDesk&) = delete;
  // Who waits is not answered any more.
  ~PositionDesk();

  Route route();

 private:
  void take(Call call);
  void run();
  bool rows_have_gone();
  http::Reply answer_of(const Call& call);

  const Outbox& outbox_;
  const Config& config_;
  Figures& figures_;
  Tell tell_;
  std::unique_ptr<Positions> positions_;  // the thread's
  std::mutex mutex_;
  std::condition_variable come_;
  std::vector<Call> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace polytrace::collector
