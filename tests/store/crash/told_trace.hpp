// SPDX-License-Identifier: Apache-2.0
// A trace whose figures are known: calls that nest, allocations, several threads. And the check
// that what is there of an index is a prefix of it, with the figures of that prefix.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/codes.hpp"
#include "event/copy.hpp"
#include "store/ask/calls/open_calls.hpp"
#include "store/ask/calls/range_sums.hpp"
#include "store/ask/row_sums.hpp"
#include "store/built.hpp"

namespace polytrace::store::crash {

using event::Batch;

// By id of the method or class: calls and time of its own, objects and bytes.
using Figures = std::map<base::Id, std::pair<std::uint64_t, std::uint64_t>>;
// Methods from the outermost, with the starts of their calls, by id of the thread.
using Stacks = std::map<base::Id, std::vector<std::pair<base::Id, base::Time>>>;

struct Truth {
  Figures methods;
  Figures classes;
  Stacks stacks;
};

class ToldTrace {
 public:
  struct Shape {
    std::size_t threads = 3;
    base::Id methods = 24;
    std::size_t depth = 12;  // of calls, at most
  };
  ToldTrace(unsigned seed, std::size_t batches, std::size_t events_of_each)
      : ToldTrace(seed, batches, events_of_each, Shape{}) {}
  ToldTrace(unsigned seed, std::size_t batches, std::size_t events_of_each, const Shape& shape)
      : engine_(seed), shape_(shape), open_(shape.threads) {
    for (std::size_t i = 0; i < batches; ++i) {
      batches_.push_back(std::make_unique<Batch>());
      Batch& batch = *batches_.back();
      batch.offset = i * kBytesOfBatch;
      if (i == 0) define(batch);
      while (batch.events.size() < events_of_each) add(batch);
      for (const event::Event& event : batch.events) event::copy_event(batch, event, all_);
      ends_.push_back(all_.events.size());
    }
  }

  static constexpr std::uint64_t kBytesOfBatch = 1000;
  const Batch& all() const { return all_; }
  const std::vector<std::unique_ptr<Batch>>& batches() const { return batches_; }
  // How many events there are up to the end of each batch.
  const std::vector<std::size_t>& ends() const { return ends_; }

  // Of the first `events`, event by event. `whole`: a call that never ends lasts as long as its
  // thread tells anything; else what is behind a thread's last call event is not known yet.
  Truth truth(std::size_t events, bool whole) const;

 private:
  std::uint64_t below(std::uint64_t count) { return engine_() % count; }
  void define(Batch& batch) {
    for (base::Id id = 1; id <= shape_.methods; ++id) {
      const auto name = batch.keep("method " + std::string(id * 7, 'x'));
      batch.add(now_, batch.thread_slot(7), id, event::Method{.name = name});
    }
  }
  void add(Batch& batch) {
    now_ += static_cast<base::Time>(below(5000));
    const std::size_t thread = below(open_.size());
    const auto slot = batch.thread_slot(7 + thread);
    auto& open = open_[thread];
    const std::uint64_t what = below(10);
    if (what == 0) {
      const event::Alloc alloc{.object = 0x1000 + below(1000), .size = 8 * below(20)};
      batch.add(now_, slot, 500 + below(6), alloc);
    } else if (what < 6 && open.size() < shape_.depth) {
      open.push_back(1 + below(shape_.methods));
      batch.add_plain(now_, slot, open.back(), event::Kind::Enter);
    } else if (!open.empty()) {
      batch.add_plain(now_, slot, open.back(), event::Kind::Leave);
      open.pop_back();
    }
  }

  std::mt19937_64 engine_;
  Shape shape_;
  base::Time now_ = 1'000'000;
  std::vector<std::vector<base::Id>> open_;  // by thread
  std::vector<std::unique_ptr<Batch>> batches_;
  Batch all_;
  std::vector<std::size_t> ends_;
};

inline Truth ToldTrace::truth(std::size_t events, bool whole) const {
  Truth truth;
  std::map<base::Id, std::pair<base::Time, base::Time>> last;  // of a call, of any event
  const auto pass = [&](base::Id thread, base::Time now) {
    const auto& open = truth.stacks[thread];
    if (!open.empty())
      truth.methods[open.back().first].second +=
          static_cast<std::uint64_t>(now - last[thread].first);
    last[thread].first = now;
  };
  for (std::size_t i = 0; i < events; ++i) {
    const event::Event event = all_.events[i];
    const base::Id thread = all_.thread(event);
    last[thread].second = event.time;
    if (event.kind == event::Kind::Alloc) {
      ++truth.classes[event.id].first;
      truth.classes[event.id].second += all_.details<event::Alloc>(event).size;
    } else if (event::is_call(event.kind)) {
      pass(thread, event.time);
      auto& open = truth.stacks[thread];
      if (event.kind == event::Kind::Enter) {
        ++truth.methods[event.id].first;
        open.emplace_back(event.id, event.time);
      } else {
        open.pop_back();
      }
    }
  }
  for (const auto& [thread, times] : std::map(last))
    if (whole) pass(thread, times.second);
  return truth;
}

// The trace as a format would read it: a batch at each fetch(), before which `each` is called.
class TraceReader final : public event::Reader {
 public:
  explicit TraceReader(const ToldTrace& trace, std::function<void()> each = {})
      : trace_(trace), each_(std::move(each)), source_(base::memory_source({})) {}

  std::string version() const override { return "1"; }
  base::result<bool> fetch(event::Chunk& chunk) override {
    if (each_) each_();
    if (next_ == trace_.batches().size()) return false;
    chunk.sequence = next_++;
    return true;
  }
  void decode(const event::Chunk& chunk, Batch& batch) const override {
    batch.clear();
    const Batch& from = *trace_.batches()[chunk.sequence];
    batch.offset = from.offset;
    for (const event::Event& event : from.events) event::copy_event(from, event, batch);
  }
  const base::Notices& notices() const override { return notices_; }
  const base::Source& source() const override { return *source_; }

 private:
  const ToldTrace& trace_;
  std::function<void()> each_;
  std::unique_ptr<base::Source> source_;
  base::Notices notices_;
  std::size_t next_ = 0;
};

// Whether all that can be asked of the index can be; what it then says goes into the others.
struct Answers {
  bool complete = false;  // no error, no notice
  Truth figures;
};

inline Answers ask(const IndexFrames& frames, base::Time at) {
  Answers answers;
  const auto calls = range_sums(frames, {});
  const auto allocations = row_sums(frames, SumKind::allocations, {});
  answers.complete = calls && allocations;
  if (calls) {
    for (const MethodSum& sum : calls->methods(frames.paths())) {
      auto& figures = answers.figures.methods[frames.method_id(sum.method)];
      figures.first += sum.calls;
      figures.second += sum.self;
    }
  }
  if (allocations) {
    for (const SumEntry& sum : *allocations) {
      auto& figures = answers.figures.classes[frames.class_id(sum.key.class_index)];
      figures.first += sum.measures[0];
      figures.second += sum.measures[1];
    }
  }
  for (std::uint32_t thread = 0; thread < frames.threads(); ++thread) {
    const auto stack = open_calls(frames, thread, at);
    answers.complete = answers.complete && stack;
    if (!stack) continue;
    auto& told = answers.figures.stacks[frames.thread(thread)];
    for (const OpenCall& call : *stack)
      told.emplace_back(frames.method_id(call.method), call.start);
  }
  return answers;
}

// Of the index, checked against the trace: how many events it has. All of its answers are those of
// so many events of the trace.
inline std::size_t expect_prefix(std::shared_ptr<const IndexFrames> frames,
                                 const ToldTrace& trace) {
  const auto reader = std::make_unique<StoreReader>(frames);
  const auto told = indexes::tell(*reader);
  EXPECT_TRUE(told->outcome.notices.empty());
  const Batch& out = told->batch;
  const std::size_t count = out.events.size();
  EXPECT_LE(count, trace.all().events.size());
  EXPECT_EQ(frames->view().totals().events, count);
  EXPECT_EQ(frames->view().slot().events, count);
  for (std::size_t i = 0; i < std::min(count, trace.all().events.size()); ++i) {
    if (test::same_event(trace.all(), trace.all().events[i], out, out.events[i])) continue;
    ADD_FAILURE() << "event " << i << " of " << count;
    break;
  }
  const bool whole = frames->view().slot().state == IndexState::complete;
  const Truth truth = trace.truth(std::min(count, trace.all().events.size()), whole);
  const Answers answers = ask(*frames, 0);
  EXPECT_TRUE(answers.complete);
  EXPECT_EQ(answers.figures.methods, truth.methods);
  EXPECT_EQ(answers.figures.classes, truth.classes);
  return count;
}

// Checks what is left of a file, again and again.
class PrefixCheck {
 public:
  explicit PrefixCheck(const ToldTrace& trace) : trace_(trace) {}

  // How many events it has, 0 where nothing was committed. It is never damaged.
  std::size_t operator()(base::Image image) { return (*this)(IndexView::open(std::move(image))); }
  std::size_t operator()(base::result<std::unique_ptr<const IndexView>> view) {
    if (!view) {
      EXPECT_EQ(view.error().code, base::Code::index_missing) << base::to_text(view.error());
      return 0;
    }
    // Who has the same frames and the same commit has the same answers.
    const base::Bytes frames = (*view)->bytes().first((*view)->slot().length).subspan(kPageBytes);
    const std::uint64_t sequence = (*view)->slot().sequence;
    if (sequence == sequence_ && std::ranges::equal(frames, frames_)) return events_;
    frames_.assign(frames.begin(), frames.end());
    sequence_ = sequence;
    auto opened = IndexFrames::open(std::move(*view));
    EXPECT_TRUE(opened) << base::to_text(opened.error());
    return events_ = opened ? expect_prefix(*opened, trace_) : 0;
  }
  std::size_t operator()(std::vector<std::byte> file) {
    return (*this)(base::Image::of(std::move(file)));
  }

 private:
  const ToldTrace& trace_;
  std::vector<std::byte> frames_;
  std::uint64_t sequence_ = 0;
  std::size_t events_ = 0;
};

inline std::size_t expect_prefix(base::Image image, const ToldTrace& trace) {
  return PrefixCheck(trace)(std::move(image));
}

}  // namespace polytrace::store::crash
