// SPDX-License-Identifier: Apache-2.0
// The thread that keeps: cuts what agents send into blocks, appends them to the spool, syncs every
// 100 ms or 8 MiB, and gives on only what is on the disk. Where the disk fails it holds what it has
// (bounded by the agents' credit) and tries again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "collector/flow/figures.hpp"
#include "collector/flow/owner.hpp"
#include "collector/flow/pulse.hpp"
#include "collector/flow/workers.hpp"
#include "collector/keep/block_cutter.hpp"
#include "collector/keep/spool.hpp"
#include "collector/live/stream_work.hpp"
#include "collector/objects/pin_watch.hpp"

namespace polytrace::collector {

// One stream on its way, as the collector's threads share it: the loop talks to its agent, the
// keeper cuts and keeps its bytes, one worker at a time makes rows of its blocks.
struct Stream {
  Stream(std::uint64_t number, Owner whose) : id(number), owner(std::move(whose)) {}

  const std::uint64_t id;
  const Owner owner;

  // --- any thread ---
  std::atomic<std::uint64_t> connection{0};  // the one whose bytes count; 0: none
  std::atomic<std::uint64_t> fed{0};         // where the bytes that were cut end, in the stream
  std::atomic<std::uint64_t> waiting{0};     // bytes of blocks that no worker is done with
  std::atomic<std::uint64_t> kept{0};        // all before this is on our disk
  std::atomic<base::Time> heard{0};          // wall time of its last bytes
  std::atomic<base::Time> skew{0};           // of its clock against ours, nanoseconds
  std::atomic<base::Time> open_since{base::kNoTime};  // where its oldest open window begins
  std::atomic<bool> in_news{false};
  std::atomic<bool> refused{false};
  std::atomic<Refused> why{};
  std::atomic<bool> finished{false};     // every row of it has gone on
  std::atomic<std::uint64_t> memory{0};  // that its work holds, about
  const std::shared_ptr<Pulse> pulse = std::make_shared<Pulse>();

  // --- the keeper's ---
  BlockCutter cutter{};

  // --- of the worker that has its lane ---
  Workers::Lane lane;
  std::optional<StreamWork> work{};
  PinWatch watch{};
  // What the figures have of `work`, and what those before it had that were put away.
  struct Counts {
    std::uint64_t events = 0, events_refused = 0, blocks = 0, missing = 0, lost = 0, faults = 0;
  };
  Counts told{};
  Counts before{};
};

using StreamPtr = std::shared_ptr<Stream>;

// A block with its own bytes.
struct KeptBlock {
  StreamPtr stream{};
  std::uint64_t index = 0;
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes{};

  BlockCutter::Block view() const { return {index, offset, bytes}; }
};

class Keeper {
 public:
  struct Hands {
    std::function<void(KeptBlock&&)> give;        // on the disk: for a worker
    std::function<void(const StreamPtr&)> whole;  // no block of it comes any more
    std::function<void(const StreamPtr&)> news;   // its figures have changed
    std::function<void(const StreamPtr&, std::string)> damaged;
  };

  Keeper(Spool& spool, Figures& figures, Tell tell, Hands hands);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() { stop(); }

  // Any thread; in order. A connection's bytes begin at an offset of the stream; those of an older
  // connection are dropped from then on.
  void begin(StreamPtr stream, std::uint64_t connection, std::uint64_t offset);
  void take(StreamPtr stream, std::uint64_t connection, std::vector<std::byte> bytes);
  void end(StreamPtr stream, std::uint64_t connection);
  // The connection is gone: what it left half is dropped.
  void leave(StreamPtr stream, std::uint64_t connection);
  // Keeps and gives what it was given, as far as the disk lets it; ends the thread.
  void stop();

 private:
  struct Input {
    enum class What : std::uint8_t { begin, data, end, leave };
    What what{};
    StreamPtr stream{};
    std::uint64_t connection = 0;
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes{};
  };

  void put(Input input);
  void run();
  void handle(Input& input);
  void cut(Input& input);
  void keep(const StreamPtr& stream, const BlockCutter::Block& block);
  // True where nothing is left to be written.
  bool write();
  bool sync();
  bool fail(const base::Error& error);
  void give();

  Spool& spool_;
  Figures& figures_;
  Tell tell_;
  Hands hands_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::deque<Input> inputs_;
  bool stopping_ = false;
  // The thread's own.
  std::deque<KeptBlock> fresh_;     // cut, not in the spool
  std::deque<KeptBlock> appended_;  // not synced
  std::vector<StreamPtr> whole_;    // to be told behind these
  std::size_t appended_bytes_ = 0;
  std::thread thread_;
};

}  // namespace polytrace::collector
