// SPDX-License-Identifier: Apache-2.0
// The thread that packs: rows of all streams become blocks in the outbox, every second or 200,000
// rows; what was known of the streams at that moment is kept once these are on the disk. Where the
// outbox has no room, workers wait in take().
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "collector/flow/figures.hpp"
#include "collector/keep/checkpoint.hpp"
#include "collector/keep/outbox.hpp"

namespace polytrace::collector {

class Packer {
 public:
  // `more`: called when the outbox has new batches.
  Packer(Outbox& outbox, Checkpoint& checkpoint, Figures& figures, Tell tell,
         std::function<void()> more);
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { stop(); }

  // Workers. Waits while there is no room; after stop() nothing is taken.
  void take(Rows&& rows);
  // Of a stream, behind all its rows until then.
  void keep(std::uint64_t stream, Saved&& saved);
  // Packs what is there and ends the thread; what the outbox has no room for is dropped: it is
  // computed again from the spool.
  void stop();

 private:
  void run();
  bool pack(Rows&& rows, const std::map<std::uint64_t, Saved>& saved);
  bool put(const std::vector<Block>& blocks);
  bool wait(std::chrono::milliseconds time);

  Outbox& outbox_;
  Checkpoint& checkpoint_;
  Figures& figures_;
  Tell tell_;
  std::function<void()> more_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::condition_variable room_;
  Rows rows_;
  std::map<std::uint64_t, Saved> saved_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace polytrace::collector
