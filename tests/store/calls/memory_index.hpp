// SPDX-License-Identifier: Apache-2.0
// An index of calls in memory, made by what makes one in a file: blocks, sums, paths, ends.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/codes.hpp"
#include "store/build/block_encoder.hpp"
#include "store/build/sums.hpp"
#include "store/build/thread_log.hpp"
#include "store/calls/told.hpp"
#include "store/read/call_frames.hpp"

namespace polytrace::store::calls {

inline base::Bytes view(const std::string& text) { return std::as_bytes(std::span(text)); }

class MemoryIndex final : public CallFrames {
 public:
  struct Written {
    EncodedBlock block;
    std::string payload;
  };

  // `commits`: of 1000 events, how many all blocks are closed after. `most_sums`: bytes.
  explicit MemoryIndex(const std::vector<Stream>& streams, unsigned commits = 0,
                       std::uint32_t most_paths = PathTable::kMostPaths,
                       std::size_t most_sums = ~std::size_t{0})
      : table_(most_paths),
        sum_logs_(most_sums),
        logs_(table_, [this](std::unique_ptr<OpenBlock> block) { write(*block); }) {
    take(streams, commits);
    for (std::uint32_t thread = 0; thread < streams.size(); ++thread) {
      base::Time last = base::kNoTime;
      for (const Told& told : streams[thread]) last = std::max(last, told.time);
      logs_.of(thread).finish(last);
      std::string payload;
      append_ends(logs_.of(thread).take_ends(), payload);
      EXPECT_TRUE(read_ends(view(payload), ends_));
    }
    // In two pieces.
    const std::uint32_t half = 1 + (table_.size() - 1) / 2;
    for (const auto& [first, count] : {std::pair{1U, half - 1}, {half, table_.size() - half}}) {
      std::string payload;
      append_paths(table_, first, count, payload);
      EXPECT_TRUE(paths_.add(view(payload)));
    }
    index();
  }

  std::uint32_t threads() const override { return static_cast<std::uint32_t>(written_.size()); }
  const Paths& paths() const override { return paths_; }
  std::span<const Block> blocks(std::uint32_t thread) const override { return blocks_[thread]; }
  std::span<const Sums> sums(std::uint32_t thread) const override { return sums_[thread]; }
  base::result<At> find(std::uint64_t number) const override {
    const auto found = places_.find(number);
    if (found == places_.end()) return base::fail(base::Code::value_unexpected);
    return found->second;
  }
  base::result<base::Bytes> payload(std::uint32_t thread, std::uint32_t place) const override {
    ++payloads_read;
    return view(written_[thread][place].payload);
  }
  base::result<base::Bytes> payload(const Sums& sums) const override {
    ++sums_read;
    return view(frames_[sums.frame].payload);
  }
  std::span<const Cells> cells(std::uint32_t) const override { return {}; }
  std::span<const Cells> series(std::uint32_t) const override { return {}; }
  base::result<base::Bytes> payload(const Cells&) const override {
    return base::fail(base::Code::value_unexpected);
  }
  base::result<std::shared_ptr<const std::vector<CallEnd>>> ends(std::uint32_t) const override {
    auto sorted = std::make_shared<std::vector<CallEnd>>(ends_);
    std::ranges::sort(*sorted, {}, &CallEnd::call);
    return sorted;
  }
  base::result<std::shared_ptr<const CallBlock>> block(std::uint32_t thread,
                                                       std::uint32_t place) const override {
    ++blocks_read;
    auto block = std::make_shared<CallBlock>();
    const auto read = block->read(view(written_[thread][place].payload), paths_.size());
    if (!read) return base::Unexpected(read.error());
    return block;
  }

  const std::vector<Written>& written(std::uint32_t thread) const { return written_[thread]; }
  const std::vector<CallSums::Frame>& frames() const { return frames_; }
  const std::vector<CallEnd>& ends() const { return ends_; }
  const LogShared& shared() const { return logs_.shared(); }
  const slice::Names& names() const { return names_; }
  base::Id id(std::uint32_t method) const {
    return method == kNoMethod ? base::kNoId : names_.methods().id(method);
  }
  // The methods of a path, outermost first.
  std::vector<base::Id> stack(std::uint32_t path) const {
    std::vector<base::Id> stack;
    for (; path != kEmptyPath; path = paths_.parent(path)) stack.push_back(id(paths_.method(path)));
    std::ranges::reverse(stack);
    return stack;
  }

  mutable std::size_t payloads_read = 0, sums_read = 0, blocks_read = 0;
  std::size_t sum_bytes = 0;  // most that sums took while they were added up

 private:
  // Pieces of the streams in turn.
  void take(const std::vector<Stream>& streams, unsigned commits) {
    std::mt19937 random(11);
    std::vector<std::size_t> at(streams.size());
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t thread = 0; thread < streams.size(); ++thread) {
        const std::size_t left = streams[thread].size() - at[thread];
        const std::size_t count = std::min<std::size_t>(left, 1 + random() % 1000);
        take_some(thread, std::span(streams[thread]).subspan(at[thread], count), commits, random);
        at[thread] += count;
        more = more || at[thread] < streams[thread].size();
      }
    }
  }
  void take_some(std::uint32_t thread, std::span<const Told> some, unsigned commits,
                 std::mt19937& random) {
    while (!some.empty()) {
      std::size_t count = 1;
      while (count < some.size() && random() % 1000 >= commits) ++count;
      event::Batch batch;
      const std::uint16_t slot = batch.thread_slot(100 + thread);
      for (const Told& told : some.first(count)) add(batch, slot, told);
      logs_.take(thread, batch, batch.events.begin(), batch.events.end(), names_,
                 [](const event::Event&, std::uint32_t) {});
      if (count < some.size()) logs_.close_all();
      some = some.subspan(count);
    }
  }
  void write(const OpenBlock& block) {
    const std::uint32_t thread = block.head.thread;
    if (written_.size() <= thread) written_.resize(thread + 1);
    std::string payload;
    EncodedBlock encoded = encode_block(block, payload);
    sum_logs_.add(encoded, [&](std::uint32_t of, CallSums::Frame frame) {
      frames_.push_back(std::move(frame));
      frame_threads_.push_back(of);
    });
    sum_bytes = std::max(sum_bytes, sum_logs_.bytes());
    written_[thread].push_back({std::move(encoded), std::move(payload)});
  }
  void index() {
    blocks_.resize(threads());
    sums_.resize(threads());
    for (std::uint32_t thread = 0; thread < threads(); ++thread) {
      for (const Written& written : written_[thread]) {
        const auto place = static_cast<std::uint32_t>(blocks_[thread].size());
        const EncodedBlock& block = written.block;
        places_[block.number] = {thread, place};
        blocks_[thread].push_back({block.number, block.head.before, block.head.last});
      }
    }
    for (std::size_t i = 0; i < frames_.size(); ++i)
      sums_[frame_threads_[i]].push_back(
          {places_[frames_[i].first_block].place, frames_[i].blocks, i});
    for (auto& sums : sums_)
      std::ranges::sort(sums, [](const Sums& a, const Sums& b) {
        return a.first != b.first ? a.first < b.first : a.blocks > b.blocks;
      });
  }

  slice::Names names_;
  PathTable table_;
  CallSumLogs sum_logs_;
  CallLogs logs_;
  Paths paths_;
  std::vector<std::vector<Written>> written_;  // by thread
  std::vector<CallSums::Frame> frames_;
  std::vector<std::uint32_t> frame_threads_;
  std::vector<CallEnd> ends_;
  std::vector<std::vector<Block>> blocks_;
  std::vector<std::vector<Sums>> sums_;
  std::map<std::uint64_t, At> places_;
};

}  // namespace polytrace::store::calls
