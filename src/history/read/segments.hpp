// SPDX-License-Identifier: Apache-2.0
// The segments of a history and the walks over them, in terms of states. A segment and its exit
// table are asked for in one request each, and tested, when a query first meets them. Any number of
// threads may query.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/frames/image.hpp"
#include "base/result.hpp"
#include "history/layout/container.hpp"
#include "history/read/segment_view.hpp"

namespace polytrace::history {

// What a walk tells: the timeline, its state, the state's last tick, and whether the segments do
// not know of any later change. Returns false to stop. Refers to a callable as Visitor does.
class StateVisitor {
 public:
  template <class Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, StateVisitor>)
  StateVisitor(Callable&& callable)
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* known, std::uint32_t index, const State& state, Tick end, bool open) {
          return (*static_cast<std::remove_reference_t<Callable>*>(known))(index, state, end, open);
        }) {}

  bool operator()(std::uint32_t index, const State& state, Tick end, bool open) const {
    return call_(callable_, index, state, end, open);
  }

 private:
  void* callable_;
  bool (*call_)(void*, std::uint32_t, const State&, Tick, bool);
};

class Segments {
 public:
  struct Content {
    std::vector<SegmentPlace> places{};  // at least one, in order
    Tick start = 0;
    Tick end = 0;       // last tick of what is open
    bool exits = true;  // false: no exit tables, look ahead instead
    bool trust = false;
  };
  // `keys` must outlive this and not change while somebody asks.
  Segments(base::Image image, Content content, const KeyList& keys);
  ~Segments();
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;

  const base::Image& image() const { return image_; }
  const std::vector<SegmentPlace>& places() const { return content_.places; }

  struct Found {
    State state{};
    Tick end = 0;
    bool open = false;
  };
  // REQUIRES of all: start <= t <= end, index of a timeline.
  base::result<Found> at(std::uint32_t index, Tick t) const;
  base::result<void> forward(std::uint32_t index, Tick from, Tick to, StateVisitor visit) const;
  base::result<void> backward(std::uint32_t index, Tick from, Tick to, StateVisitor visit) const;
  // Those that hold at `times`, which ascend.
  base::result<void> sampled(std::uint32_t index, std::span<const Tick> times,
                             StateVisitor visit) const;

  // A segment once its bytes were tested.
  struct Checked {
    SegmentView view;
    ExitTable exits;
  };
  base::result<const Checked*> segment(std::size_t number) const;
  // The one that answers for `t`. REQUIRES: there are segments.
  std::size_t number_at(Tick t) const;
  base::Unexpected damaged(std::size_t number) const;
  const Content& content() const { return content_; }
  // All timelines in order of keys, and what is needed of each to look it up in a segment.
  const std::vector<Line>& lines() const;

 private:
  // Where a tick lies among the changes of one segment.
  struct Spot {
    State state{};
    Tick next = 0;  // of the next change in the segment, if it has one
    bool has_next = false;
  };
  struct Next {
    Tick tick = 0;
    bool any = false;
  };
  // Where the last of several looks at one timeline was.
  struct Look;
  // What a forward walk holds between two segments.
  struct Held;

  std::size_t number_from(std::size_t number, Tick t) const;
  void fetch_ahead(std::size_t number, const KeyInfo& info) const;
  // Of a timeline when there are no segments.
  Found only(std::uint32_t index) const;
  void want_table(std::uint64_t offset) const;
  base::result<std::unique_ptr<Checked>> check(std::size_t number) const;
  bool spot(Look& look, const Checked& checked, const KeyInfo& info, Tick t, Spot& spot) const;
  bool after(std::size_t number, const Checked& checked, const KeyInfo& info, Next& next) const;
  bool look_ahead(std::size_t number, const KeyInfo& info, Next& next) const;
  bool finish(const Spot& spot, std::size_t number, const Checked& checked, const KeyInfo& info,
              Tick t, Found& found) const;
  bool walk_run(const RunView& run, std::uint32_t index, Tick to, Held& held,
                StateVisitor visit) const;
  bool walk_back(const RunView& run, const Checked& checked, std::uint32_t index, Tick from,
                 Held& held, StateVisitor visit) const;

  base::Image image_;
  Content content_;
  const KeyList& keys_;
  mutable std::vector<std::atomic<const Checked*>> checked_;
  mutable std::mutex checking_;
  mutable std::once_flag lines_made_;
  mutable std::vector<Line> lines_;
};

}  // namespace polytrace::history
