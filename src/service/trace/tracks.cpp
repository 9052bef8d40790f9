// SPDX-License-Identifier: Apache-2.0
#include "service/trace/tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/codes.hpp"
#include "service/trace/series_tracks.hpp"

namespace polytrace::service {
namespace {

using store::Family;

bool is_name_of_main(std::string_view name) {
  return name == "main" || name == "Main" || name == "Main Thread" || name == "main thread";
}

// From as far away as one can be: an item for each row at most, and one more for each call that
// began before the first event.
base::result<void> add_extent(const IndexedTrace& trace, const std::atomic<bool>* stop,
                              ThreadFacts& thread) {
  const store::Zoom whole{.thread = thread.index,
                          .level = store::kMostLevel,
                          .first_bucket = -2,
                          .end_bucket = 2,
                          .stop = stop};
  return trace.store().zoom(whole, [&](const store::ZoomItem& item) {
    thread.rows = std::max(thread.rows, item.row + 1);
    thread.calls += item.count;
    if (item.row == 0) thread.busy += item.busy;
  });
}

base::result<ThreadFacts> facts_of(const IndexedTrace& trace, std::uint32_t index,
                                   const std::atomic<bool>* stop) {
  ThreadFacts thread{.index = index,
                     .id = fmt::format("{:#x}", trace.thread_id(index)),
                     .name = trace.thread_name(index)};
  const store::Entity& told = trace.store().entities().of(store::EntitySort::thread, index);
  if (told.first != base::kNoTime) thread.first = trace.offset(told.first);
  if (told.last != base::kNoTime) thread.last = trace.offset(told.last);
  if (auto added = add_extent(trace, stop, thread); !added) return base::Unexpected(added.error());
  return thread;
}

void choose_main(std::vector<ThreadFacts>& threads) {
  if (threads.empty()) return;
  const auto named = std::ranges::find_if(threads, is_name_of_main, &ThreadFacts::name);
  (named == threads.end() ? threads.front() : *named).is_main = true;
}

// The tracks beside those of calls. In the order in which those of one thread stand.
struct SpanKind {
  Family family;
  std::string_view kind;
  std::string_view title;  // of everybody's
};
constexpr std::array<SpanKind, 5> kSpanKinds{{{Family::pauses, "pauses", "Pauses"},
                                              {Family::collections, "collections", "Collections"},
                                              {Family::waits, "status", "Status"},
                                              {Family::compilations, "compile", "Compilations"},
                                              {Family::marks, "marks", "Marks"}}};

class TrackMaker {
 public:
  TrackMaker(const IndexedTrace& trace, const std::atomic<bool>* stop)
      : trace_(trace), stop_(stop) {}

  base::result<Tracks> make() {
    for (std::uint32_t i = 0; i < trace_.threads(); ++i) {
      auto thread = facts_of(trace_, i, stop_);
      if (!thread) return base::Unexpected(thread.error());
      made_.threads.push_back(std::move(*thread));
    }
    choose_main(made_.threads);
    for (const ThreadFacts& thread : made_.threads)
      if (thread.calls != 0) add_calls(thread);
    for (const SpanKind& kind : kSpanKinds)
      if (auto added = add_spans(kind); !added) return base::Unexpected(added.error());
    auto series = series_tracks(trace_, stop_, made_.notes);
    if (!series) return base::Unexpected(series.error());
    for (Track& track : *series) add(std::move(track));
    put_in_order();
    return std::move(made_);
  }

 private:
  void add(Track track) {
    track.number = static_cast<std::uint32_t>(made_.all.size());
    made_.order.push_back(track.number);
    made_.all.push_back(std::move(track));
  }
  void add_calls(const ThreadFacts& thread) {
    add({.id = fmt::format("calls:{}", thread.index),
         .kind = "calls",
         .thread = thread.index,
         .name = thread.name,
         .rows = thread.rows,
         .items = thread.calls,
         .first = thread.first,
         .last = thread.last});
  }
  // Counts what there is of a kind, by thread.
  base::result<void> add_spans(const SpanKind& kind) {
    std::map<std::uint32_t, Track> found;
    const auto take = [&](std::uint32_t thread, const store::SpanItem& item) {
      Track& track = found[thread];
      track.rows = std::max(track.rows, item.row + 1);
      ++track.items;
      const std::int64_t from = trace_.offset(item.start), to = trace_.offset(item.end);
      track.first = std::min(track.first.value_or(from), from);
      track.last = std::max(track.last.value_or(to), to);
    };
    const auto& frames = trace_.store().frames();
    const auto read = store::collect_spans(frames, kind.family, {.stop = stop_}, take);
    const bool is_stopped = stop_ != nullptr && *stop_;
    if (!read && read.error().code == base::Code::limit_exceeded && !is_stopped) {
      made_.notes.push_back(
          fmt::format("more than {} waits: their tracks are left out", store::kMostWaits));
      return {};
    }
    if (!read) return base::Unexpected(read.error());
    for (auto& [thread, track] : found) add_track(kind, thread, std::move(track));
    return {};
  }
  void add_track(const SpanKind& kind, std::uint32_t thread, Track track) {
    track.kind = kind.kind;
    track.family = kind.family;
    track.id = kind.kind;
    track.name = kind.title;
    if (thread != store::kNoIndex) {
      track.thread = thread;
      track.id = fmt::format("{}:{}", kind.kind, thread);
      track.name = trace_.thread_name(thread);
    }
    add(std::move(track));
  }
  void put_in_order() {
    std::ranges::stable_sort(made_.order, {}, [&](std::uint32_t number) {
      const Track& track = made_.all[number];
      std::tuple place{track.series ? 2 : 0, true, std::uint64_t{0}, std::uint32_t{0}};
      if (!track.thread) return place;
      std::get<0>(place) = 1;
      std::get<3>(place) = *track.thread;
      if (*track.thread >= made_.threads.size()) return place;
      const ThreadFacts& thread = made_.threads[*track.thread];
      std::get<1>(place) = !thread.is_main;
      std::get<2>(place) = ~thread.busy;
      return place;
    });
  }

  const IndexedTrace& trace_;
  const std::atomic<bool>* stop_;
  Tracks made_;
};

}  // namespace

base::result<Tracks> find_tracks(const IndexedTrace& trace, const std::atomic<bool>* stop) {
  return TrackMaker(trace, stop).make();
}

}  // namespace polytrace::service
