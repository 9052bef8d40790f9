// SPDX-License-Identifier: Apache-2.0
// Makes an index of a trace in one pass: calls become blocks of their thread, all other events rows
// of their kind, and the order of the source is kept beside, so that the events come out again as
// they went in.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "event/pump.hpp"
#include "slice/pauses.hpp"
#include "slice/slicer.hpp"
#include "store/build/pass/call_series.hpp"
#include "store/build/pass/cells.hpp"
#include "store/build/pass/entity_log.hpp"
#include "store/build/pass/jobs.hpp"
#include "store/build/pass/row_log.hpp"
#include "store/build/sums.hpp"
#include "store/build/thread_log.hpp"
#include "store/build/whole_log.hpp"
#include "store/file/order.hpp"

namespace polytrace::store {

struct BuildOptions {
  unsigned encoders = 0;                                // threads beside the one that consumes
  std::size_t most_open = std::size_t{64} << 20;        // bytes of what is not closed yet
  std::uint64_t commit_each = std::uint64_t{64} << 20;  // bytes of the source
  std::uint32_t most_paths = PathTable::kMostPaths;
  CellOptions cells{};
  SeriesOptions series{};
  std::size_t most_sums = std::size_t{32} << 20;  // bytes of figures that are being added up
};

// One thread at a time, as the pump calls it.
class Builder final : public event::Consumer {
 public:
  // Both must outlive it.
  Builder(IndexWriter& writer, const BuildOptions& options = {});
  ~Builder() override;

  // False: the file cannot be written; finish() says why.
  bool consume(const event::Batch& batch) override;
  // What was consumed so far becomes what readers of the file see, if there is anything new.
  base::result<void> commit();
  // A state of all that was consumed so far, which only who holds it sees: blocks and segments that
  // are open stand in it as if they were closed here, and stay open.
  base::result<std::shared_ptr<const IndexView>> seal();
  std::uint64_t events() const { return events_; }  // consumed
  // The whole trace is consumed: the last commit, with `state`. `head` gets what the builder knows
  // of it and is written with it.
  base::result<void> finish(const event::PumpOutcome& outcome, IndexState state, PageHead head);

 private:
  using Event = event::Event;

  void take(const slice::Slice& slice);
  void take_run(const slice::Slice& slice, const slice::Run& run);
  void take_row(const slice::Slice& slice, const Event& event, std::uint32_t thread,
                std::uint32_t path);
  // Calls [at, end) of one thread: their order and details.
  void take_order(const event::Batch& batch, const Event* at, const Event* end,
                  std::uint32_t thread);
  void order(Stream stream, std::size_t count);
  void put_order();
  void put_block(std::unique_ptr<OpenBlock> block);
  void put_meanings();
  static Piece order_piece(OrderLog& order);
  Piece chunks_piece() const;
  static Piece piece_of(const EncodedBlock& block, std::string payload);
  static Piece piece_of(std::uint32_t thread, std::span<const CallEnd> ends);
  static Piece piece_of(CellFrame frame);
  static Piece piece_of(SeriesFrame frame);
  void put_ends();
  void put_paths();
  void put_entities();
  void put_texts();
  void put_chunks();
  template <class Items, class Append>
  void put_whole(WholeSort sort, const Items& items, Append append);
  void put_threads();
  void put_methods();
  void put_locks();
  void close_largest();
  Totals totals() const;
  base::result<void> commit(IndexState state);
  Progress progress(IndexState state) const;
  base::result<void> look_at_pauses();
  std::uint64_t features() const;

  IndexWriter& writer_;
  BuildOptions options_;
  slice::Slicer slicer_;
  PathTable paths_;
  TextLog texts_;
  EntityLog entities_;
  RowLogs rows_;
  CallLogs calls_;
  CallSumLogs sums_;  // these four are used by who writes
  WholeLog whole_;
  CellMaker cells_;
  SeriesMaker series_;
  slice::PauseFinder pauses_;
  bool settled_ = false;  // what is told later changes no figure any more
  OrderLog order_;
  std::uint32_t paths_put_ = 1;  // the empty one is known
  std::uint64_t events_ = 0;
  base::Time origin_ = base::kNoTime;
  std::uint64_t offset_ = 0;  // of the last batch
  std::uint64_t committed_offset_ = 0;
  std::uint64_t committed_events_ = 0;
  std::vector<std::uint64_t> chunk_offsets_;
  std::vector<std::uint64_t> chunk_ordinals_;
  std::uint64_t chunks_ = 0;
  bool has_details_ = false;              // of calls
  std::optional<base::Error> failure_{};  // of a commit: nothing is written after it
  // Last: its threads use what is above.
  Jobs jobs_;
};

}  // namespace polytrace::store
