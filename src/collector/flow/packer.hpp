// SPDX-License-Identifier: Apache-2.0
// The thread that packs: rows of all streams become blocks in the outbox, every second or 200,000
// rows; what was known of the streams at that moment is kept once these are on the disk. Where the
// outbox is nearly full, rows become fewer (thinner.hpp), and are counted: first those of methods
// go above its mark, then, half-way from there, processes become groups. Where it has no room at
// all, workers wait in take().
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "collector/flow/figures.hpp"
#include "collector/keep/checkpoint.hpp"
#include "collector/keep/outbox.hpp"
#include "collector/thin/thinner.hpp"

namespace polytrace::collector {

class Packer {
 public:
  // `who`: this run of this collector; `enough`: bytes of a block; `more`: called when the outbox
  // has new batches. The rest outlives it.
  Packer(Outbox& outbox, ThinMarks& marks, std::string who, std::uint32_t shards,
         std::size_t enough, Checkpoint& checkpoint, Figures& figures, Tell tell,
         std::function<void()> more);
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { stop(); }

  // Workers. For a database; empty: the store's own. Waits while there is no room; after stop()
  // nothing is taken.
  void take(Rows&& rows, const std::string& database);
  // Of a stream, behind all its rows until then.
  void keep(std::uint64_t stream, Saved&& saved);
  // Packs what is there and ends the thread; what the outbox has no room for is dropped: it is
  // computed again from the spool.
  void stop();

 private:
  void run();
  using RowsByDatabase = std::map<std::string, Rows>;
  bool pack(RowsByDatabase&& rows, const std::map<std::uint64_t, Saved>& saved);
  void look_at_room();
  void leave_out_marked(Rows& rows) const;
  bool put(const std::vector<Block>& blocks, std::span<const ThinMark> marks);
  bool wait(std::chrono::milliseconds time);

  Outbox& outbox_;
  ThinMarks& marks_;
  const std::uint32_t shards_;
  const std::size_t enough_;
  Checkpoint& checkpoint_;
  Figures& figures_;
  Tell tell_;
  std::function<void()> more_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::condition_variable room_;
  RowsByDatabase rows_;
  std::size_t count_ = 0;  // of them
  std::map<std::uint64_t, Saved> saved_;
  bool stopping_ = false;
  // The thread's own.
  Thinner thinner_;
  Thinner::Level level_ = Thinner::Level::nothing;
  std::thread thread_;
};

}  // namespace polytrace::collector
