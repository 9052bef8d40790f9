// SPDX-License-Identifier: Apache-2.0
// The index of a trace that grows while it is read: asked in this process as it is now, in the file
// as of a few seconds ago. Any thread may ask.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "store/file/cache_folder.hpp"
#include "store/store.hpp"

namespace polytrace::store {

class LiveIndex {
 public:
  // What is asked in this process is never older than this, where there is more.
  static constexpr std::chrono::milliseconds kSealEach{250};
  // So is what readers of the file see.
  static constexpr std::chrono::milliseconds kCommitEach{10'000};

  struct Pace {
    std::chrono::milliseconds seal = kSealEach;
    std::chrono::milliseconds commit = kCommitEach;
  };

  // Begins to read, in a thread of its own. `reader` waits at the end of its source for more until
  // somebody ends that (base::SourceOptions::stop_following); `job.pump.stop` must be null, for a
  // trace that ends is read to its end. Errors: those of the file.
  static base::result<std::unique_ptr<LiveIndex>> begin(event::Reader& reader, IndexJob job,
                                                        Pace pace);
  // Waits for the end of the source, unless finish() did.
  ~LiveIndex();
  LiveIndex(const LiveIndex&) = delete;
  LiveIndex& operator=(const LiveIndex&) = delete;

  // What has been read. Threads go on from what the last one had: a call that is open has no end
  // yet, figures of pauses are not known. Null before the first event. Errors: those of the file.
  base::result<std::shared_ptr<const Store>> latest();
  // Until the source has ended.
  void wait();
  bool has_ended() const;
  // How much of the source, as it is stored, has been read. After wait().
  std::uint64_t source_bytes() const { return reader_.source().stored_position(); }

  // Waits for the end. Then the index is complete and stands at the job's path, as build_index()
  // leaves it; `identity` is that of what was read. Once. Errors: those of the file.
  base::result<event::PumpOutcome> finish(const SourceIdentity& identity);

 private:
  using Clock = std::chrono::steady_clock;
  class Guarded;

  LiveIndex(event::Reader& reader, IndexJob job, Pace pace, IndexWriter writer);
  void read();
  void commit_now_and_then();

  event::Reader& reader_;
  const IndexJob job_;
  const Pace pace_;
  PageHead head_;
  IndexWriter writer_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable ending_;
  std::optional<Builder> builder_;
  event::PumpOutcome outcome_;
  bool has_ended_ = false;
  std::shared_ptr<const Store> sealed_;
  std::uint64_t sealed_events_ = 0;
  Clock::time_point sealed_at_{};
  std::thread reading_;
  std::thread committing_;
};

}  // namespace polytrace::store
