// SPDX-License-Identifier: Apache-2.0
// Makes rows of windows that are closed: at most kMostRows of a carrier, the rest exactly in
// "(... more)"; methods by the minute. Equal windows make equal rows. One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "collector/aggregate/frame_ids.hpp"
#include "collector/aggregate/windows.hpp"

namespace polytrace::collector {

// Of a series.
struct SeriesIds {
  std::uint64_t series = 0;
  std::uint64_t service = 0;
  std::uint64_t stream = 0;  // the trace that moments are in
};

// What the numbers in a window mean.
struct Meaning {
  const slice::Names& names;
  std::array<const slice::StackTree*, Window::kCarriers> trees;  // by carrier
};

class RowMaker {
 public:
  static constexpr std::size_t kMostRows = 400;    // of a window, series and carrier
  static constexpr std::size_t kMostMethods = 64;  // of a minute and series
  static constexpr std::int64_t kWindowsOfMinute = 6;

  RowMaker(FrameIds& frames, const Windows& windows, std::size_t most_rows = kMostRows)
      : frames_(frames), windows_(windows), most_rows_(most_rows) {}

  // The window of that number. `again`: how often it was closed before.
  void add(std::int64_t number, Window& window, std::uint8_t again, const SeriesIds& ids,
           const Meaning& meaning, Rows& rows);
  // Minutes that end at the window or before it get their rows.
  void end_minutes(std::int64_t number, const SeriesIds& ids, Rows& rows);

  // --- to go on in another process ---
  std::set<std::int64_t> open_minutes() const;
  std::optional<std::int64_t> first_minute() const {
    return minutes_.empty() ? std::nullopt : std::optional(minutes_.begin()->first);
  }
  // How often each minute got rows, from that one on.
  std::map<std::int64_t, std::uint8_t> ended_from(std::int64_t minute) const;
  // These are open, and get no rows when they end the next time.
  void go_on(const std::set<std::int64_t>& open, const std::map<std::int64_t, std::uint8_t>& ended);
  // What comes from now on may be of minutes that the store has from elsewhere.
  void begin_apart(std::uint8_t first_gen);
  // How much its minutes hold, in figures as windows count them.
  std::size_t figures() const {
    std::size_t all = 0;
    for (const auto& [number, minute] : minutes_) all += 8 * minute.size();
    return all;
  }
  // Nothing comes any more for minutes before that one.
  void forget_before(std::int64_t minute);

 private:
  struct Method {
    std::uint64_t calls = 0;
    std::uint64_t self = 0;
    std::uint64_t total = 0;
    std::uint64_t most = 0;
    base::DurationSketch sketch{};
  };
  using Minute = std::map<std::uint64_t, Method>;  // by frame id

  // What its rows add up to.
  Amount profile(Carrier carrier, const Window& window, warehouse::Profile10s row,
                 const Meaning& meaning, Rows& rows);
  static void health(const Window& window, warehouse::Health10s row, Rows& rows);
  void moments(Window& window, std::uint32_t time, const SeriesIds& ids, const Meaning& meaning,
               Rows& rows);
  void methods(std::int64_t minute, const Window& window, const Meaning& meaning);
  void end_minute(std::int64_t number, Minute& minute, const SeriesIds& ids, Rows& rows);
  // The node of the carrier's visible stacks: without runtime helpers.
  std::uint32_t visible(Carrier carrier, std::uint32_t node, const Meaning& meaning);
  std::vector<std::pair<Spot, Amount>> by_weight(Carrier carrier, const Window& window,
                                                 const Meaning& meaning);
  warehouse::Id128 stack(Carrier carrier, std::uint32_t visible, const Meaning& meaning);

  FrameIds& frames_;
  const Windows& windows_;
  std::size_t most_rows_;
  struct Visible {
    slice::StackTree tree;
    std::vector<std::uint32_t> nodes;    // by node of the carrier's tree
    std::vector<FrameIds::Stack> known;  // by own node
  };
  Visible& visible_of(Carrier carrier) {
    auto& own = visible_[static_cast<std::size_t>(carrier)];
    return own ? *own : own.emplace();
  }
  // By carrier, made when it is needed: streams are many.
  std::array<std::optional<Visible>, Window::kCarriers> visible_;
  std::vector<std::uint32_t> path_;  // while one is looked up
  std::map<std::int64_t, Minute> minutes_;
  base::IdMap<std::uint8_t> ended_;  // by minute: how often it got rows
  std::uint8_t first_gen_ = 0;       // of others
  std::set<std::int64_t> mute_;      // minutes whose next rows are left out
};

}  // namespace polytrace::collector
