// SPDX-License-Identifier: Apache-2.0
// The calls of every thread as blocks: which call a leave ends says event/open_calls.hpp, so counts
// are those of reports; which path it had, a PathTable. What a source told otherwise is kept
// beside, so that all its events come out of the blocks again. A time before the one before counts
// as that one, and how much earlier it was is kept. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "event/open_calls.hpp"
#include "slice/names.hpp"
#include "store/build/open_block.hpp"
#include "store/build/path_table.hpp"
#include "store/build/spare.hpp"

namespace polytrace::store {

using BlockTaker = std::function<void(std::unique_ptr<OpenBlock>)>;

// Blocks that are encoded.
class SpareBlocks : public Spare<OpenBlock> {
 public:
  SpareBlocks() : Spare(4, std::size_t{2} << 20) {}
};

// What all threads of one pass share.
struct LogShared {
  PathTable& paths;
  BlockTaker take;  // blocks that are closed, in that order, which is not that of their numbers
  std::shared_ptr<SpareBlocks> spare = std::make_shared<SpareBlocks>();
  std::uint64_t next_block = 0;
  event::CallAccount account{};
  std::uint64_t late = 0;  // events whose times went back
  std::size_t ends = 0;    // that nobody took yet
};

// The calls of one thread.
class ThreadLog {
 public:
  ThreadLog(std::uint32_t thread, LogShared& shared) : thread_(thread), shared_(&shared) {}

  // Takes calls up to the first event that is none, or `end`: where that is.
  const event::Event* take_calls(const event::Batch& batch, const event::Event* at,
                                 const event::Event* end, const slice::Names& names);
  // Any other event of the thread.
  void look(const event::Batch& batch, const event::Event& event);
  // Of the calls that are open now.
  std::uint32_t path() const { return calls_.empty() ? kEmptyPath : calls_.innermost().path; }
  std::size_t bytes() const { return block_ == nullptr ? 0 : block_->bytes(); }
  // Closes the open block, if it tells anything.
  void close();
  // What the open block would be if it were closed; nothing where it tells nothing.
  std::optional<OpenBlock> copy() const;
  // No more events, after the thread's last one of any kind: calls that are open end there.
  // Each is told to `unended`, where there is one.
  using Unended = std::function<void(std::uint32_t path, std::size_t row, std::uint64_t duration)>;
  void finish(base::Time last, const Unended& unended = {});
  // Of calls that their block left open, by number; once, or again and again.
  std::vector<CallEnd> take_ends();
  std::vector<CallEnd> copy_ends() const;
  // What had to be put right in this thread; calls so far that are in closed blocks.
  const event::CallAccount& account() const { return account_; }
  std::uint64_t entered() const { return entered_; }

 private:
  struct Frame : event::OpenCall {
    base::Time start;
    SliceId slice;
    std::uint32_t path;
  };
  using Event = event::Event;

  // A block with room for an event, which is at `time`.
  void make_room(base::Time time);
  const Event* take_plain(const Event* at, const Event* end, const slice::Names& names);
  void enter(const event::Batch& batch, const Event& event, const slice::Names& names);
  void leave(const event::Batch& batch, const Event& event, const slice::Names& names);
  void leave_callees(std::size_t stay, base::Time time);
  void tell(const Event& event);
  void put_beside(Irregular sort, const Event& event, const slice::Names& names);
  // Appends one event of the log. REQUIRES: room, a time that is not before now_.
  void put(base::Time time, bool enters);
  // Ends the innermost call.
  void pop(EndKind how);
  void change(base::Time at, Status to);
  Status status() const;
  std::vector<StatusChange>& changes() { return block_ != nullptr ? block_->changes : changes_; }
  // The block covers the time up to `last`, which is not before now_.
  void close_at(base::Time last);
  // So does this one, which is the open block; status changes behind it are left to the next.
  void end(OpenBlock& block, base::Time last, std::vector<StatusChange>& left) const;

  std::uint32_t thread_;
  LogShared* shared_;
  event::OpenCalls<Frame> calls_;
  std::unique_ptr<OpenBlock> block_;  // null: nothing to tell since the last one
  std::uint16_t local_ = 0;           // where the thread is in block_
  base::Time now_ = base::kNoTime;    // of the last call event
  std::uint64_t entered_ = 0;
  event::CallAccount account_{};       // but for `open`
  base::Time lock_ = base::kNoTime;    // since when it waits for one; kNoTime: it does not
  base::Time object_ = base::kNoTime;  // since when for a signal or a time
  Status status_ = Status::none;       // at the end of the last block
  std::vector<StatusChange> changes_;  // since, while there is no block
  std::vector<CallEnd> ends_;
};

// Those of all threads.
class CallLogs {
 public:
  CallLogs(PathTable& paths, BlockTaker taker) : shared_{paths, std::move(taker)} {}
  CallLogs(const CallLogs&) = delete;
  CallLogs& operator=(const CallLogs&) = delete;

  // Events [at, end) of one thread's stream. other(event, path) is called for each that is no call,
  // with the path of the calls that are open then.
  template <class Other>
  void take(std::uint32_t thread, const event::Batch& batch, const event::Event* at,
            const event::Event* end, const slice::Names& names, Other&& other) {
    ThreadLog& log = of(thread);
    while ((at = log.take_calls(batch, at, end, names)) != end) {
      log.look(batch, *at);
      other(*at, log.path());
      ++at;
    }
  }

  ThreadLog& of(std::uint32_t thread) {
    while (logs_.size() <= thread)
      logs_.push_back(
          std::make_unique<ThreadLog>(static_cast<std::uint32_t>(logs_.size()), shared_));
    return *logs_[thread];
  }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(logs_.size()); }
  // For a commit: blocks that are short.
  void close_all();
  // Closes the largest blocks until the open ones take at most that much memory.
  void close_largest(std::size_t most_bytes);

  // What had to be put right; numbers of blocks so far; late times; ends that nobody took.
  const LogShared& shared() const { return shared_; }

 private:
  LogShared shared_;
  std::vector<std::unique_ptr<ThreadLog>> logs_;  // by thread index
};

}  // namespace polytrace::store
