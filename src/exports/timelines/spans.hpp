// SPDX-License-Identifier: Apache-2.0
// What lasts a while and is no call: collections, pauses, compilations, class loads, lock waits,
// waits, finalizers. slice/spans.hpp says what an event begins or ends; this pairs them by lane,
// thread by thread, so that what a lane shows nests.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/slot.hpp"
#include "exports/job/account.hpp"
#include "slice/selection.hpp"
#include "slice/slice.hpp"
#include "slice/spans.hpp"

namespace polytrace::exports {

// Spans of one lane and thread nest; collections only within their generation.
enum class Lane : std::uint8_t {
  collections,
  pauses,
  compiling,
  loading,
  locks,
  waits,
  finalizers,
};
struct LaneInfo {
  std::string_view title;     // of the track
  std::string_view category;  // one word
};
inline constexpr std::size_t kLanes = 7;
const LaneInfo& describe(Lane lane);

struct Span {
  base::Id subject = base::kNoId;  // generation, method, class or object; kNoId: none is told
  base::Time start = 0;
  base::Id class_id = base::kNoId;  // of a lock
  base::Id owner = base::kNoId;     // thread that held it
  std::uint32_t stack = 0;          // for the writer's own use
  bool selected = false;
  bool is_runtime_id = false;  // the subject of a compilation: the method's own is not told
  bool is_cached = false;      // looks for code that was compiled before
  base::Duration timeout = 0;
};

// What an event says of a span.
struct Edge {
  using Way = slice::SpanEdge::Way;
  Lane lane{};
  Way way = Way::begin;
  Span span{};
};
std::optional<Edge> edge_of(const event::Batch& batch, const event::Event& event);

// Whether a lane is of the process; else each thread has its own.
inline bool is_of_process(Lane lane) { return lane == Lane::collections || lane == Lane::pauses; }
// The track that a span is in: its lane, and which of them. Collections have one by generation.
using SpanTrack = std::pair<Lane, std::uint64_t>;
inline SpanTrack span_track(Lane lane, std::uint32_t thread, const Span& span) {
  if (lane == Lane::collections) return {lane, span.subject};
  return {lane, is_of_process(lane) ? 0 : std::uint64_t{thread}};
}
// "Collections of generation 1", "Waiting".
std::string span_track_title(Lane lane, const Span& span, const slice::Names& names);

// "generation 1", a method's or a class's name, "object 0x2a".
std::string span_name(Lane lane, const Span& span, const slice::Names& names);

// Writer has
//   void open_span(Lane, std::uint32_t thread, Span&, const Slice&, const Event&): may fill in
//     Span::stack
//   void close_span(Lane, std::uint32_t thread, const Span&, Time end, bool failed, const Names&)
// They are called in pairs for what begins in the selection.
template <class Writer>
class SpanWalk {
 public:
  SpanWalk(const slice::Selection& selection, Writer& writer)
      : selection_(selection), writer_(writer) {}

  // False: the event tells of no span.
  bool take(const slice::Slice& slice, const event::Event& event) {
    auto edge = edge_of(slice.batch, event);
    if (!edge) return false;
    const std::uint32_t thread = slice.threads[event.thread];
    auto& open = base::slot(open_, thread)[static_cast<std::size_t>(edge->lane)];
    if (edge->way == Edge::Way::begin) return begin(slice, event, *edge, thread, open);
    end(slice.names, event, *edge, thread, open);
    return true;
  }
  void finish(const slice::Names& names) {
    for (std::uint32_t thread = 0; thread < open_.size(); ++thread)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        for (auto& open = open_[thread][lane]; !open.empty(); ++unfinished_)
          close(static_cast<Lane>(lane), thread, open, open.end() - 1, names.threads()[thread].last,
                false, names);
  }
  void tell(Account& account) const {
    const auto note = [&](std::uint64_t count, const char* text) {
      if (count != 0) account.notes.push_back(std::to_string(count) + text);
    };
    note(unfinished_, " spans without recorded end: ended where their threads went on or ended.");
    note(unbegun_, " ends of spans without recorded begin: left out.");
  }

 private:
  static constexpr std::size_t kDeepest = 4096;
  using Open = std::vector<Span>;

  bool begin(const slice::Slice& slice, const event::Event& event, Edge& edge, std::uint32_t thread,
             Open& open) {
    while (!open.empty() && is_over(edge, open)) {
      ++unfinished_;
      const auto same = std::ranges::find(open, edge.span.subject, &Span::subject);
      close(edge.lane, thread, open, same == open.end() ? open.end() - 1 : same, event.time, false,
            slice.names);
    }
    edge.span.selected = selects(selection_, slice.batch, event);
    if (edge.span.selected) writer_.open_span(edge.lane, thread, edge.span, slice, event);
    open.push_back(edge.span);
    return true;
  }
  // Whether one of those that are open never ended.
  static bool is_over(const Edge& edge, const Open& open) {
    if (edge.lane == Lane::locks || edge.lane == Lane::waits || edge.lane == Lane::pauses)
      return true;
    return open.size() >= kDeepest ||
           (edge.lane == Lane::collections &&
            std::ranges::find(open, edge.span.subject, &Span::subject) != open.end());
  }
  void end(const slice::Names& names, const event::Event& event, const Edge& edge,
           std::uint32_t thread, Open& open) {
    // Some recorders do not tell what ended.
    const bool any = edge.lane == Lane::locks ||
                     (edge.lane == Lane::collections && edge.span.subject == base::kNoId);
    const auto last = std::find_if(open.rbegin(), open.rend(), [&](const Span& span) {
      return any || span.subject == edge.span.subject;
    });
    if (last == open.rend()) {
      ++unbegun_;
      return;
    }
    const auto found = std::prev(last.base());
    const auto place = found - open.begin();
    for (; edge.lane != Lane::collections && open.end() - open.begin() > place + 1; ++unfinished_)
      close(edge.lane, thread, open, open.end() - 1, event.time, false, names);
    close(edge.lane, thread, open, open.begin() + place, event.time, edge.way == Edge::Way::failed,
          names);
  }
  void close(Lane lane, std::uint32_t thread, Open& open, Open::iterator which, base::Time end,
             bool failed, const slice::Names& names) {
    const Span span = *which;
    open.erase(which);
    if (span.selected)
      writer_.close_span(lane, thread, span, std::max(end, span.start), failed, names);
  }

  slice::Selection selection_;
  Writer& writer_;
  std::vector<std::array<Open, kLanes>> open_;  // by thread index
  std::uint64_t unfinished_ = 0;
  std::uint64_t unbegun_ = 0;
};

}  // namespace polytrace::exports
