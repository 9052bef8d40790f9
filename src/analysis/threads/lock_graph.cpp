// SPDX-License-Identifier: Apache-2.0
#include "analysis/threads/lock_graph.hpp"

#include <algorithm>
#include <set>

#include "analysis/table/cells.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {
namespace {

// Of one wait, so many changes of the holder are looked at; in a longer queue the rest counts for
// the last of them.
constexpr std::size_t kMostHandovers = 64;

}  // namespace

void LockGraph::add(const Wait& wait) {
  if (waits_.size() == kMostWaits) ++left_out_;
  else waits_.push_back(wait);
}

void LockGraph::finish() {
  std::ranges::stable_sort(waits_, {}, [](const Wait& w) { return std::tuple(w.lock, w.start); });
  for (std::size_t begin = 0; begin < waits_.size();) {
    std::size_t end = begin;
    while (end < waits_.size() && waits_[end].lock == waits_[begin].lock) ++end;
    measure(begin, end);
    find_holders(begin, end);
    begin = end;
  }
  find_chains();
}

void LockGraph::measure(std::size_t begin, std::size_t end) {
  Queue& queue = queues_.emplace_back();
  queue.lock = waits_[begin].lock;
  std::set<std::uint32_t> threads;
  std::vector<std::pair<base::Time, int>> changes;
  for (std::size_t i = begin; i < end; ++i) {
    const Wait& wait = waits_[i];
    threads.insert(wait.thread);
    queue.wait += base::elapsed(wait.start, wait.end);
    changes.emplace_back(wait.start, 1);
    changes.emplace_back(std::max(wait.start, wait.end), -1);
  }
  queue.waits = end - begin;
  queue.threads = threads.size();
  std::ranges::sort(changes);  // at one time, ends first: who comes then did not wait with them
  std::uint64_t waiting = 0;
  base::Time before = changes.front().first;
  for (const auto& [time, change] : changes) {
    if (waiting >= 1) queue.awaited += base::elapsed(before, time);
    if (waiting >= 2) queue.crowded += base::elapsed(before, time);
    if (change > 0) queue.most = std::max(queue.most, ++waiting);
    else if (waiting > 0) --waiting;
    before = time;
  }
  find_site(begin, end, queue);
}

void LockGraph::find_site(std::size_t begin, std::size_t end, Queue& queue) const {
  std::map<std::uint32_t, std::uint64_t> sites;
  for (std::size_t i = begin; i < end; ++i)
    if (waits_[i].site != kNone)
      sites[waits_[i].site] += base::elapsed(waits_[i].start, waits_[i].end);
  const auto most = std::ranges::max_element(sites, {}, [](const auto& s) { return s.second; });
  if (most != sites.end()) queue.site = most->first;
}

void LockGraph::find_holders(std::size_t begin, std::size_t end) {
  struct Taken {
    base::Time at;
    std::uint32_t by;
  };
  std::vector<Taken> taken;
  for (std::size_t i = begin; i < end; ++i)
    if (waits_[i].got_it) taken.push_back({waits_[i].end, waits_[i].thread});
  std::ranges::stable_sort(taken, {}, &Taken::at);
  for (std::size_t i = begin; i < end; ++i) {
    const Wait& wait = waits_[i];
    auto next = std::ranges::upper_bound(taken, wait.start, {}, &Taken::at);
    std::uint32_t holder = wait.owner;
    base::Time from = wait.start;
    bool first = true;
    for (std::size_t n = 0; n < kMostHandovers && next != taken.end() && next->at < wait.end;
         ++next, ++n) {
      if (next->by == wait.thread) continue;
      block(wait, holder, from, next->at, first);
      first = false;
      holder = next->by;
      from = next->at;
    }
    block(wait, holder, from, wait.end, first);
  }
}

void LockGraph::block(const Wait& wait, std::uint32_t holder, base::Time from, base::Time to,
                      bool first) {
  Blocked& blocked = edges_[{holder, wait.thread, wait.lock}];
  ++blocked.waits;
  blocked.time += base::elapsed(from, to);
  blocked.told |= first && holder != kNone;
  if (holder != kNone)
    holdings_.push_back({static_cast<std::uint32_t>(&wait - waits_.data()), holder, from, to});
}

// A holder that begins to wait for another lock makes a chain.
void LockGraph::find_chains() {
  std::vector<std::uint32_t> order(waits_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](std::uint32_t i) { return std::pair(waits_[i].thread, waits_[i].start); };
  std::ranges::stable_sort(order, {}, key);
  for (const Holding& holding : holdings_) {
    Wait& wait = waits_[holding.wait];
    const auto found =
        std::ranges::lower_bound(order, std::pair(holding.holder, holding.from), {}, key);
    if (found == order.end() || wait.next != kNone) continue;
    const Wait& other = waits_[*found];
    if (other.thread == holding.holder && other.start < holding.to && other.lock != wait.lock)
      wait.next = *found;
  }
}

}  // namespace polytrace::analysis
