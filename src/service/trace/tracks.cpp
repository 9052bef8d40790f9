// SPDX-License-Identifier: Apache-2.0
#include "service/trace/tracks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polytrace::service {
namespace {

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

}  // namespace

base::result<Tracks> find_tracks(const IndexedTrace& trace, const std::atomic<bool>* stop) {
  Tracks tracks;
  for (std::uint32_t i = 0; i < trace.threads(); ++i) {
    auto thread = facts_of(trace, i, stop);
    if (!thread) return base::Unexpected(thread.error());
    tracks.threads.push_back(std::move(*thread));
  }
  choose_main(tracks.threads);
  for (const ThreadFacts& thread : tracks.threads) {
    if (thread.calls == 0) continue;
    tracks.all.push_back({static_cast<std::uint32_t>(tracks.all.size()),
                          fmt::format("calls:{}", thread.index), "calls", thread.index});
    tracks.order.push_back(tracks.all.back().number);
  }
  std::ranges::stable_sort(tracks.order, [&](std::uint32_t a, std::uint32_t b) {
    const ThreadFacts& one = tracks.threads[tracks.all[a].thread];
    const ThreadFacts& other = tracks.threads[tracks.all[b].thread];
    if (one.is_main != other.is_main) return one.is_main;
    return one.busy > other.busy;
  });
  return tracks;
}

}  // namespace polytrace::service
