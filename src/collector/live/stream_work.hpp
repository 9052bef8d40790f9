// SPDX-License-Identifier: Apache-2.0
// One stream's blocks, in order, into rows: the ordinary reader over a feed, the ordinary
// aggregator. Blocks it has had are dropped, gaps are told; each block is decoded by itself, so
// that the same blocks make the same rows however they came. One thread at a time.
//
// After a crash it goes on from what was saved: rows of windows that had begun then are in the
// outbox (saved() waits for that), so they are left out when they are computed again; calls that
// were open, waits for locks and collections go on from the moment they began (GoingOn: what a cut
// trace tells at its beginning, and until when time was told). So `done` need not wait for the end
// of a server's main(). Not saved: processor time that open calls told at their entry; and nothing
// is saved inside of a table of sums. The spool must hold what comes from done() on, some two
// minutes: what it has dropped of that is missing in rows that replace whole ones.
//
// What was saved may come from elsewhere (live/position.hpp), without definitions: then blocks
// before `done` are taken for those alone, and it goes on behind them.
#pragma once

#include <memory>
#include <optional>

#include "collector/aggregate/aggregator.hpp"
#include "collector/keep/block_cutter.hpp"
#include "collector/keep/checkpoint.hpp"

namespace polytrace::collector {

struct StreamOptions {
  base::Time save_each = 60 * kSecond;  // of the stream's own time
  // Of what one stream may bring; then it is refused.
  std::size_t most_methods = 65'536;
  std::size_t most_classes = 65'536;
  std::size_t most_threads = 16'384;
  std::size_t most_open_calls = 131'072;                     // of all threads
  std::uint64_t most_definitions = std::uint64_t{16} << 20;  // bytes of them, as they are kept
};

class StreamWork {
 public:
  // `kept`: where definitions and closings go, and what it goes on from; null: nowhere, from the
  // first block. It outlives this.
  StreamWork(std::uint64_t stream, AggregatorOptions options, Aggregator::Sink sink,
             Checkpoint* kept = nullptr, StreamOptions limits = {});
  StreamWork(StreamWork&&) noexcept;
  StreamWork& operator=(StreamWork&&) noexcept;
  ~StreamWork();

  // Before the first block: goes on from what was kept, if anything was. Then replay the spool from
  // next_block() on. Errors: read_failed and others of what was kept; then nothing was taken over.
  base::result<void> resume();

  // Errors: write_failed (of what is kept); limit_exceeded (the stream is to be refused). Damage
  // inside of a block is counted.
  base::result<void> block(const BlockCutter::Block& block);
  // Closes windows of a stream that says nothing: those that ended AggregatorOptions::lag before
  // that wall time. Only for streams without blocks that wait.
  base::result<void> close_until(base::Time wall);
  // Nothing comes any more: what is open is closed, and nothing is taken after it. At the end block
  // that is so by itself; without it the stream is cut off, which counts as a block that is
  // missing.
  base::result<void> finish();
  bool finished() const;
  bool is_cut_off() const;
  // Wall times that are believed from now on.
  void accept(Accepted accepted);

  // Wants to be taken up again from what is kept, soon: saved() gives it. For a stream that says
  // nothing. Whether all is given already, so that nothing here is needed any more.
  bool put_away();

  // What to keep once the outbox has on its medium all rows that the sink got before this call;
  // nothing: no news. Each is given once.
  std::optional<Saved> saved();

  // The blocks came just now, at that wall time: how far the stream's clock is off.
  void came(base::Time now);

  std::uint64_t next_block() const;
  std::uint64_t next_offset() const;  // where that one should begin
  std::uint64_t done() const;         // rows of all blocks before this went to the sink

  // --- figures ---
  std::uint64_t events() const;            // that were decoded
  std::uint64_t blocks() const;            // that were taken
  std::uint64_t blocks_duplicate() const;  // and dropped
  std::uint64_t blocks_missing() const;
  std::uint64_t blocks_without_clock() const;  // whose events are in no window
  std::uint64_t faults() const;                // what could not be read in them, in places
  std::uint64_t lost() const;                  // events that the stream itself tells as lost
  base::Time open_since() const;  // wall time where the oldest open window begins; kNoTime: none
  std::size_t bytes() const;      // that it holds, about
  const Aggregator& aggregator() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace polytrace::collector
