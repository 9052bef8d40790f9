// SPDX-License-Identifier: Apache-2.0
// Traces of random calls and waits in several threads, with pauses among them, and what is true of
// them.
#pragma once

#include <memory>
#include <random>

#include "store/ask/calls/range_sums.hpp"
#include "store/built.hpp"
#include "store/calls/time_spans.hpp"
#include "store/calls/told.hpp"

namespace polytrace::store::calls {

inline constexpr base::Id kFirstThread = 100;

struct Parts {
  std::uint64_t calls = 0, self = 0, running = 0, blocked = 0, waiting = 0, paused = 0;
  bool operator==(const Parts&) const = default;
};
inline void PrintTo(const Parts& parts, std::ostream* out) {
  *out << parts.calls << " calls, self " << parts.self << ", running " << parts.running
       << ", blocked " << parts.blocked << ", waiting " << parts.waiting << ", paused "
       << parts.paused;
}
using PartsByStack = std::map<std::vector<base::Id>, Parts>;

// Who collects, and how: phases that begin and end a pause.
struct Collector {
  base::Id thread;
  event::GcPhase begins;
  event::GcPhase ends;
};
inline constexpr Collector kStops{7, event::GcPhase::world_stopped, event::GcPhase::world_started};
inline constexpr Collector kOtherStops{8, event::GcPhase::world_stopped,
                                       event::GcPhase::world_started};
inline constexpr Collector kCollections{7, event::GcPhase::start, event::GcPhase::end};

// Streams in one batch after the other, cut anywhere, with pauses told among them.
class PausedTrace {
 public:
  explicit PausedTrace(std::vector<Stream> streams) : streams_(std::move(streams)) {
    for (const Stream& stream : streams_) threads_.push_back(truth_of(stream));
  }
  void pause(const Collector& by, Span span) {
    gc_.push_back({by.thread, span.first, by.begins});
    gc_.push_back({by.thread, span.second, by.ends});
  }
  // Pauses of up to `length` ns over all the time of the streams.
  std::vector<Span> pause_at_random(const Collector& by, int count, base::Time length,
                                    unsigned seed) {
    std::mt19937_64 random(seed);
    const base::Time first = threads_[0].changes.front().time - 100;
    const auto span = static_cast<std::uint64_t>(threads_[0].last - first) + 200;
    std::vector<Span> all;
    for (int i = 0; i < count; ++i) {
      const base::Time at = first + static_cast<base::Time>(random() % span);
      all.emplace_back(
          at, at + 1 + static_cast<base::Time>(random() % static_cast<std::uint64_t>(length)));
    }
    std::ranges::sort(all);
    std::vector<Span> apart;
    for (const Span& one : all)
      if (apart.empty() || one.first > apart.back().second) apart.push_back(one);
    for (const Span& one : apart) pause(by, one);
    return apart;
  }
  std::shared_ptr<const IndexFrames> index(const BuildOptions& options = {}) const {
    const auto batches = told();
    std::vector<const event::Batch*> all;
    for (const auto& batch : batches) all.push_back(batch.get());
    return indexes::index_of(all, options);
  }
  std::vector<std::unique_ptr<event::Batch>> told() const {
    std::vector<std::unique_ptr<event::Batch>> batches;
    std::vector<std::size_t> at(streams_.size());
    std::mt19937 random(3);
    std::size_t gc = 0;
    for (bool more = true; more;) {
      auto batch = std::make_unique<event::Batch>();
      more = false;
      for (std::size_t i = 0; i < streams_.size(); ++i) {
        const auto slot = batch->thread_slot(kFirstThread + i);
        const std::size_t end = std::min(streams_[i].size(), at[i] + 1 + random() % 2000);
        for (; at[i] != end; ++at[i]) add(*batch, slot, streams_[i][at[i]]);
        more = more || end != streams_[i].size();
      }
      for (const std::size_t end = more ? std::min(gc_.size(), gc + random() % 5) : gc_.size();
           gc != end; ++gc)
        batch->add(gc_[gc].time, batch->thread_slot(gc_[gc].thread), base::kNoId,
                   event::Gc{.phase = gc_[gc].phase});
      batches.push_back(std::move(batch));
    }
    return batches;
  }
  PartsByStack truth(const Range& range, const std::vector<Span>& pauses) const {
    PartsByStack all;
    for (std::uint32_t i = 0; i < threads_.size(); ++i)
      if (range.threads.empty() || std::ranges::find(range.threads, i) != range.threads.end())
        add_truth(threads_[i], {range.from, range.to}, pauses, all);
    return all;
  }
  Range random_range(std::mt19937_64& random) const {
    const auto time = [&] {
      const TrueThread& thread = threads_[random() % threads_.size()];
      const base::Time first = thread.changes.front().time - 10;
      const auto span = static_cast<std::uint64_t>(thread.last - first) + 20;
      return first + static_cast<base::Time>(random() % span);
    };
    Range range{time(), time()};
    if (range.from > range.to) std::swap(range.from, range.to);
    if (random() % 8 == 0) range = {};
    for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
      if (random() % 2 == 0) range.threads.push_back(thread);
    return range;
  }

 private:
  struct ToldPhase {
    base::Id thread;
    base::Time time;
    event::GcPhase phase;
  };
  static void add_truth(const TrueThread& thread, Span range, const std::vector<Span>& pauses,
                        PartsByStack& into) {
    const auto locked = without(thread.locked, pauses);
    const auto waiting = without(without(thread.waiting, thread.locked), pauses);
    for (std::size_t i = 0; i < thread.changes.size(); ++i) {
      const auto& change = thread.changes[i];
      const bool is_last = i + 1 == thread.changes.size();
      const base::Time until = is_last ? thread.last : thread.changes[i + 1].time;
      const Span part{std::max(change.time, range.first), std::min(until, range.second)};
      if (change.call == TrueThread::kNone || part.first >= part.second) continue;
      Parts& parts = into[thread.calls[change.call].stack];
      parts.self += base::elapsed(part.first, part.second);
      parts.blocked += common(part, locked);
      parts.waiting += common(part, waiting);
      parts.paused += common(part, pauses);
      parts.running = parts.self - parts.blocked - parts.waiting - parts.paused;
    }
    for (const TrueCall& call : thread.calls)
      if (call.start < range.second && call.end >= range.first) ++into[call.stack].calls;
  }

  std::vector<Stream> streams_;
  std::vector<TrueThread> threads_;
  std::vector<ToldPhase> gc_;
};

}  // namespace polytrace::store::calls
