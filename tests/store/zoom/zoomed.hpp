// SPDX-License-Identifier: Apache-2.0
// An index of streams of calls, what is true of them, and what zooming into it must say: found call
// by call.
#pragma once

#include <map>
#include <random>
#include <string>
#include <tuple>

#include "store/ask/zoom.hpp"
#include "store/built.hpp"
#include "store/calls/told.hpp"

namespace polytrace::store::zooms {

using calls::Stream;
using calls::StreamShape;
using calls::TrueCall;
using calls::TrueThread;

// All as another one has it, for those that change a part.
class SameFrames : public CallFrames {
 public:
  explicit SameFrames(const CallFrames& of) : of_(of) {}
  std::uint32_t threads() const override { return of_.threads(); }
  const Paths& paths() const override { return of_.paths(); }
  std::span<const Block> blocks(std::uint32_t thread) const override { return of_.blocks(thread); }
  std::span<const Sums> sums(std::uint32_t thread) const override { return of_.sums(thread); }
  std::span<const Cells> cells(std::uint32_t thread) const override { return of_.cells(thread); }
  std::span<const Cells> series(std::uint32_t thread) const override { return of_.series(thread); }
  base::result<At> find(std::uint64_t number) const override { return of_.find(number); }
  base::result<base::Bytes> payload(std::uint32_t thread, std::uint32_t place) const override {
    return of_.payload(thread, place);
  }
  base::result<base::Bytes> payload(const Sums& sums) const override { return of_.payload(sums); }
  base::result<base::Bytes> payload(const Cells& cells) const override {
    return of_.payload(cells);
  }
  base::result<std::shared_ptr<const std::vector<CallEnd>>> ends(
      std::uint32_t thread) const override {
    return of_.ends(thread);
  }
  base::result<std::shared_ptr<const CallBlock>> block(std::uint32_t thread,
                                                       std::uint32_t place) const override {
    return of_.block(thread, place);
  }

 private:
  const CallFrames& of_;
};

// The same index without cells.
class Blocks final : public SameFrames {
 public:
  using SameFrames::SameFrames;
  std::span<const Cells> cells(std::uint32_t) const override { return {}; }
};

struct Item {
  std::uint32_t row;
  base::Time start, end;
  std::uint64_t count, busy, longest;
  std::uint64_t call;          // number in its thread
  std::vector<base::Id> path;  // outermost first
  bool is_wide, begins_before, ends_behind;

  bool operator==(const Item&) const = default;
};
inline void PrintTo(const Item& item, std::ostream* out) {
  *out << "row " << item.row << ": " << item.start << " to " << item.end << ", " << item.count
       << " calls, busy " << item.busy << ", longest " << item.longest << ", call " << item.call
       << ", path of " << item.path.size() << (item.is_wide ? ", wide" : "")
       << (item.begins_before ? ", begins before" : "")
       << (item.ends_behind ? ", ends behind" : "");
}

class Traced {
 public:
  // `batch`: most events of one.
  explicit Traced(const std::vector<Stream>& streams, const BuildOptions& options = {},
                  std::size_t batch = 5000) {
    for (const Stream& stream : streams) truth_.push_back(calls::truth_of(stream));
    std::vector<std::unique_ptr<event::Batch>> batches;
    std::vector<std::size_t> at(streams.size());
    std::mt19937 random(17);
    for (bool more = true; more;) {
      more = false;
      batches.push_back(std::make_unique<event::Batch>());
      batches.back()->offset = batches.size();  // so that commit_each = 0 commits
      for (std::size_t i = 0; i < streams.size(); ++i) {
        const std::uint16_t slot = batches.back()->thread_slot(100 + i);
        const std::size_t end = std::min(streams[i].size(), at[i] + 1 + random() % batch);
        for (; at[i] < end; ++at[i]) calls::add(*batches.back(), slot, streams[i][at[i]]);
        more = more || end < streams[i].size();
      }
    }
    origin_ = batches.front()->events[0].time;
    std::vector<const event::Batch*> all;
    for (const auto& one : batches) all.push_back(one.get());
    frames_ = indexes::index_of(all, options);
  }

  const IndexFrames& frames() const { return *frames_; }
  const std::vector<TrueThread>& truth() const { return truth_; }
  base::Time origin() const { return origin_; }
  std::uint64_t number_of(SliceId call) const {
    const auto at = frames_->find(block_of(call));
    EXPECT_TRUE(at);
    return (*frames_->block(at->thread, at->place))->head().entered + call_of(call);
  }
  std::vector<base::Id> stack(std::uint32_t path) const {
    std::vector<base::Id> ids;
    frames_->frames(path, ids);
    return ids;
  }

  std::vector<Item> told(const CallFrames& frames, const Zoom& asked) const {
    std::vector<Item> items;
    const auto zoomed = zoom(frames, origin_, asked, [&](const ZoomItem& item) {
      items.push_back({item.row, item.start, item.end, item.count, item.busy, item.longest,
                       number_of(item.call), stack(item.path), item.is_wide, item.begins_before,
                       item.ends_behind});
    });
    EXPECT_TRUE(zoomed) << base::to_text(zoomed.error());
    return items;
  }
  std::vector<Item> expected(const Zoom& asked) const;

 private:
  std::vector<TrueThread> truth_;
  std::shared_ptr<const IndexFrames> frames_;
  base::Time origin_ = 0;
};

// By division, not by shifts.
inline std::int64_t true_bucket(base::Time time, base::Time origin, unsigned level) {
  const base::Time width = base::Time{1} << level;
  const base::Time since = time - origin;
  return since >= 0 ? since / width : -((-since + width - 1) / width);
}

inline std::vector<Item> Traced::expected(const Zoom& asked) const {
  std::map<std::tuple<std::uint32_t, std::int64_t>, Item> narrow;
  std::vector<Item> items;
  const base::Time width = base::Time{1} << asked.level;
  const base::Time from = origin_ + asked.first_bucket * width;
  const base::Time to = origin_ + asked.end_bucket * width;
  const TrueThread& thread = truth_[asked.thread];
  for (std::size_t i = 0; i < thread.calls.size(); ++i) {
    const TrueCall& call = thread.calls[i];
    const auto row = static_cast<std::uint32_t>(call.stack.size() - 1);
    if (row < asked.first_row || row >= asked.end_row) continue;
    const base::Time duration = call.end - call.start;
    const auto ns = static_cast<std::uint64_t>(duration);
    if (duration >= width) {
      if (call.start >= to || call.end <= from) continue;
      const base::Time start = std::max(call.start, from), end = std::min(call.end, to);
      items.push_back({row, start, end, call.start >= from, static_cast<std::uint64_t>(end - start),
                       ns, i, call.stack, true, call.start<from, call.end> to});
      continue;
    }
    if (call.start < from || call.start >= to) continue;
    const Item one{row, call.start, call.end, 1, ns, ns, i, call.stack, false, false, false};
    const auto [at, fresh] =
        narrow.try_emplace({row, true_bucket(call.start, origin_, asked.level)}, one);
    if (fresh) continue;
    Item& all = at->second;
    all.end = std::max(all.end, call.end);
    ++all.count;
    all.busy += ns;
    if (ns <= all.longest) continue;
    all.longest = ns;
    all.call = i;
    all.path = call.stack;
  }
  for (const auto& [key, item] : narrow) items.push_back(item);
  std::ranges::sort(items, {}, [](const Item& item) { return std::tuple(item.row, item.call); });
  return items;
}

// A level and buckets somewhere about the thread.
inline Zoom random_zoom(const Traced& traced, std::uint32_t thread, std::mt19937_64& random) {
  const TrueThread& truth = traced.truth()[thread];
  Zoom asked{.thread = thread, .level = static_cast<unsigned>(random() % 41)};
  const auto span = static_cast<std::uint64_t>(truth.last - truth.calls.front().start) + 1;
  const base::Time at = truth.calls.front().start + static_cast<base::Time>(random() % span);
  asked.first_bucket =
      true_bucket(at, traced.origin(), asked.level) - static_cast<std::int64_t>(random() % 3);
  asked.end_bucket = asked.first_bucket + 1 + static_cast<std::int64_t>(random() % 600);
  if (random() % 2 == 0) {
    asked.first_row = static_cast<std::uint32_t>(random() % 8);
    asked.end_row = asked.first_row + 1 + static_cast<std::uint32_t>(random() % 64);
  }
  return asked;
}

}  // namespace polytrace::store::zooms
