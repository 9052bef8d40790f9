// SPDX-License-Identifier: Apache-2.0
// Makes rows of a fleet's store from the events of one process, while they come: windows of 10 s
// of its wall clock, closed once its events have passed their end by a while. It goes by the events
// alone: the same batches make the same rows, and what is sent again replaces itself. What comes
// for a window that is closed makes further rows of it. One thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "collector/aggregate/call_times.hpp"
#include "collector/aggregate/frame_ids.hpp"
#include "collector/aggregate/happenings.hpp"
#include "collector/aggregate/labels.hpp"
#include "collector/aggregate/row_maker.hpp"
#include "event/pump.hpp"
#include "slice/slicer.hpp"

namespace polytrace::collector {

struct AggregatorOptions {
  LabelList labels{};               // over what the trace tells
  std::uint64_t seed = 0;           // the tenant's
  std::uint64_t stream = 0;         // what moments call the trace
  Accepted accepted{};              // wall times
  std::optional<Time> starts{};     // the wall time of the first event, whatever the trace says
  std::optional<Time> otherwise{};  // the same where the trace tells no clock
  Time lag = 600 * kSecond;         // that a window stays open behind its end
  bool live = false;                // calls that go on are told as far as windows are closed
  std::size_t most_rows = RowMaker::kMostRows;  // of a window and carrier
  std::size_t most_open = 400'000;  // figures in open windows; then the oldest are closed
  std::uint32_t most_nodes = slice::StackTree::kMaxNodes;  // of each tree of stacks
  Novelty* novelty = nullptr;                              // outlives it; null: all is told
};

class Aggregator final : public event::Consumer {
 public:
  using Sink = std::function<void(Rows&&)>;

  Aggregator(AggregatorOptions options, Sink sink);

  // Stops where events come before the trace told its clock, and nothing else tells it.
  bool consume(const event::Batch& batch) override;
  // What follows is of that block of the stream.
  void begin_block(std::uint64_t block) { windows_.begin_block(block); }
  // Closes what ended `lag` before that wall time, without waiting for events, and is no later for
  // it. Nothing without a clock.
  void close_until(Time wall);
  // What is believed from now on: for a trace that is read while it comes.
  void accept(Accepted accepted);
  // What was consumed last came at that wall time, at once.
  void note_arrival(Time now);
  // From which wall time on close_until() closes anything; kNoTime: nothing is open.
  Time closes_next() const;
  // Once, after the last batch: what is open is closed.
  void finish();

  // --- to go on in another process ---
  // What is going on; nothing inside of a table of sums, and before there is a clock. Its windows
  // and minutes are awaited from now on: awaits() until all have been closed.
  std::optional<GoingOn> going_on();
  bool awaits() const { return !awaited_windows_.empty() || !awaited_minutes_.empty(); }
  // For an aggregator that has had nothing but definitions: goes on there. Windows and minutes that
  // had begun then get no rows at their next end, for they have them.
  void go_on(const GoingOn& going_on);
  // What came before is lost here, and the store may have rows of it: those of what comes from now
  // on stand beside them, in generations that begin with kApart.
  void begin_apart();
  static constexpr std::uint8_t kApart = 128;
  // The newest window that was closed, and in which generation.
  struct Closed {
    std::int64_t number = 0;
    std::uint8_t gen = 0;
  };
  Closed last_closed() const;

  // --- how it went ---
  bool has_clock() const { return windows_.has_clock(); }
  Time latest() const { return latest_; }           // of an event, on the trace's clock
  std::uint64_t events() const { return events_; }  // in rows
  std::uint64_t refused() const { return windows_.refused() + dropped_; }  // outside of all time
  std::uint64_t refused_time() const { return windows_.refused_time(); }
  std::uint64_t lost() const { return lost_; }  // that the trace itself tells
  std::uint64_t late() const { return late_; }  // windows that were closed before
  // Wall time where the oldest open window begins; kNoTime: none is open.
  Time open_since() const {
    return windows_.open().empty() ? base::kNoTime : windows_.open().begin()->first * kWindow;
  }
  const slice::Names& names() const { return slicer_.names(); }
  std::size_t open_calls() const { return walk_.repairs().open; }
  // There are too many new programs, and this is one more.
  bool is_one_too_many() const { return is_one_too_many_; }
  // About how many bytes it holds, but for names.
  std::size_t bytes() const;
  // Wall times of the first and the last event that count; kNoTime without any.
  Time first_wall() const { return first_wall_; }
  Time last_wall() const { return last_wall_; }
  // How far the trace's clock is ahead, nanoseconds, negative where it is behind: what came with
  // the least delay tells. kNoTime: nothing came yet.
  Time skew() const { return skew_; }
  warehouse::Labels labels() const { return finder_.labels(); }
  SeriesIds ids() const;
  // As Analysis::limits().
  std::vector<std::string> limits() const;
  // What had to be put right in the calls, in plain text.
  std::vector<std::string> repairs() const { return analysis::repair_notes(walk_.repairs()); }

 private:
  bool set_clock(const slice::Slice& slice);
  void note_times(const slice::Slice& slice);
  void close_what_passed(Time until);
  std::int64_t last_passed(Time until) const;
  void forget_old_windows(std::int64_t newest);
  bool is_too_old(std::int64_t number) const;
  void end_minutes(std::int64_t number, Rows& rows);
  GoingOn::Thread calling(std::uint32_t number);
  std::vector<std::uint32_t> enter_again(const GoingOn& going_on);
  void close_one(Rows& rows);
  void send(Rows rows, bool last);
  LabelList shown(const LabelList& labels);
  Meaning meaning() const;

  AggregatorOptions options_;
  Sink sink_;
  slice::Slicer slicer_;
  Windows windows_;
  LabelFinder finder_;
  FrameIds frames_;
  RowMaker maker_;
  CallTimes calls_;
  analysis::CallWalk<CallTimes> walk_;
  Happenings happenings_;
  base::IdMap<std::uint8_t> closed_;  // by window: how often
  std::uint8_t first_gen_ = 0;        // of others
  std::int64_t newest_ = 0;           // window that was closed
  std::set<std::int64_t> mute_;       // windows whose next rows are left out
  std::set<std::int64_t> awaited_windows_;
  std::set<std::int64_t> awaited_minutes_;
  std::optional<SeriesIds> ids_;  // as of the first rows
  std::uint64_t events_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t late_ = 0;
  Time latest_ = base::kNoTime;
  Time first_wall_ = base::kNoTime;
  Time last_wall_ = base::kNoTime;
  Time skew_ = base::kNoTime;
  bool told_series_ = false;
  bool is_one_too_many_ = false;
  std::uint32_t site_nodes_ = 0;  // of the slicer's tree
};

}  // namespace polytrace::collector
