// SPDX-License-Identifier: Apache-2.0
#include "agent/common/stream/summary.hpp"

#include <algorithm>

#include "agent/common/memory/pages.hpp"
#include "format/native/wire/clock_line.hpp"

namespace polytrace::agent {

namespace native = format::native;
using native::Escape;
using native::Word;

bool Summary::start(const Clock& clock) {
  clock_ = &clock;
  nodes_ = zeroed_pages<Node>(kNodes);
  slots_ = zeroed_pages<std::uint32_t>(kSlots);
  threads_ = zeroed_pages<Thread>(kThreads);
  return nodes_ != nullptr && slots_ != nullptr && threads_ != nullptr;
}

void Summary::release() {
  for (std::uint32_t i = 0; i < thread_count_; ++i) free_pages(threads_[i].frames, kDepth);
  free_pages(nodes_, kNodes);
  free_pages(slots_, kSlots);
  free_pages(threads_, kThreads);
}

Summary::Thread* Summary::thread_of(base::Id id) {
  if (latest_ < thread_count_ && threads_[latest_].id == id) return &threads_[latest_];
  for (std::uint32_t i = 0; i < thread_count_; ++i)
    if (threads_[i].id == id) return &threads_[latest_ = i];
  if (thread_count_ == kThreads || node_count_ == kNodes) return nullptr;
  Frame* const frames = zeroed_pages<Frame>(kDepth);
  if (frames == nullptr) return nullptr;
  latest_ = thread_count_++;
  threads_[latest_] = {id, add_node(0, 0), 0, 0, frames};
  return &threads_[latest_];
}

std::uint32_t Summary::add_node(std::uint32_t parent, std::uint32_t method) {
  if (node_count_ == kNodes) return 0;
  const std::uint32_t node = node_count_++;
  nodes_[node] = {method, parent, 0, 0, 0, 0, UINT64_MAX, 0, false};
  if (parent == 0) return node;
  nodes_[node].next_sibling = nodes_[parent].first_child;
  nodes_[parent].first_child = node;
  return node;
}

// Half of the slots stay empty, so that the search ends.
std::uint32_t Summary::child_of(std::uint32_t parent, std::uint32_t method) {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
  const std::uint64_t key = std::uint64_t{parent} << 32 | method;
  auto slot = static_cast<std::uint32_t>(key * kMix >> 32);
  for (;; ++slot) {
    std::uint32_t& node = slots_[slot & (kSlots - 1)];
    if (node == 0) return node = add_node(parent, method);
    if (nodes_[node].parent == parent && nodes_[node].method == method) return node;
  }
}

void Summary::enter(base::Id id, std::uint32_t method, std::uint64_t tick) {
  Thread* const thread = thread_of(id);
  if (thread == nullptr) {
    ++unplaced_;
    return;
  }
  const std::uint32_t parent =
      thread->depth == 0 ? thread->root : thread->frames[thread->depth - 1].node;
  const bool full = thread->beyond != 0 || thread->depth == kDepth;
  const std::uint32_t node = full ? 0 : child_of(parent, method);
  if (node == 0) {
    ++thread->beyond;
    ++unplaced_;
    return;
  }
  thread->frames[thread->depth++] = {node, false, tick};
}

void Summary::leave(base::Id id, std::uint32_t method, std::uint64_t tick) {
  Thread* const thread = thread_of(id);
  if (thread == nullptr) return;
  if (thread->beyond != 0) {
    --thread->beyond;
    return;
  }
  std::uint32_t depth = thread->depth;
  while (depth != 0 && nodes_[thread->frames[depth - 1].node].method != method) --depth;
  if (depth == 0) return;
  while (thread->depth >= depth) close(thread->frames[--thread->depth], tick);
}

void Summary::close(const Frame& frame, std::uint64_t tick) {
  Node& node = nodes_[frame.node];
  const std::uint64_t took =
      static_cast<std::int64_t>(tick - frame.since) > 0 ? tick - frame.since : 0;
  node.total += took;
  if (frame.counted) return;
  ++node.calls;
  node.least = std::min(node.least, took);
  node.most = std::max(node.most, took);
}

void Summary::count_open(std::uint64_t tick) {
  for (std::uint32_t i = 0; i < thread_count_; ++i)
    for (std::uint32_t depth = 0; depth < threads_[i].depth; ++depth) {
      Frame& frame = threads_[i].frames[depth];
      close(frame, tick);
      frame.counted = true;
      frame.since = tick;
    }
}

// Parents have smaller numbers than their children.
void Summary::mark_told() {
  for (std::uint32_t node = node_count_ - 1; node != 0; --node) {
    Node& it = nodes_[node];
    it.told = it.told || it.calls != 0 || it.total != 0;
    if (it.told) nodes_[it.parent].told = true;
  }
}

void Summary::put(BlockWriter& blocks, std::uint64_t tick) {
  count_open(tick);
  mark_told();
  for (std::uint32_t i = 0; i < thread_count_; ++i)
    if (nodes_[threads_[i].root].told) put_thread(blocks, threads_[i], tick);
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    Node& it = nodes_[node];
    it.calls = it.total = it.most = 0;
    it.least = UINT64_MAX;
    it.told = false;
  }
  unplaced_ = 0;
}

// Down to the first child, along the siblings, up again: no stack but the nodes themselves.
void Summary::put_thread(BlockWriter& blocks, const Thread& thread, std::uint64_t tick) {
  format::native::RecordEncoder* out = &blocks.begin(tick, thread.id);
  const auto put = [&](const auto& event, std::uint32_t method) {
    if (out->event(tick, method, event)) return;
    blocks.finish();
    out = &blocks.begin(tick, thread.id);
    out->event(tick, method, event);
  };
  std::uint32_t at = thread.root;
  bool down = true;
  do {
    const Node& node = nodes_[at];
    if (down && node.told && at != thread.root) {
      event::SummaryBegin begin;
      begin.calls = node.calls;
      begin.total = nanoseconds(node.total);
      begin.least = node.calls == 0 ? 0 : nanoseconds(node.least);
      begin.most = nanoseconds(node.most);
      put(begin, node.method);
    }
    if (down && node.told && node.first_child != 0) {
      at = node.first_child;
      continue;
    }
    if (node.told && at != thread.root) put(event::SummaryEnd{}, node.method);
    down = at != thread.root && node.next_sibling != 0;
    if (down) at = node.next_sibling;
    else if (at != thread.root) at = node.parent;
  } while (at != thread.root);
  blocks.finish();
}

std::int64_t Summary::nanoseconds(std::uint64_t ticks) const {
  native::ClockLine line = clock_->line();
  line.tick0 = 0;
  line.time0 = 0;
  return native::time_at(line, ticks);
}

bool SummaryWords::next_event(Summary& summary) {
  while (taken_ < count_) {
    const std::uint64_t word = word_at(taken_);
    if (word == 0) return false;
    const auto kind = static_cast<Word>(word & 3);
    const auto method =
        static_cast<std::uint32_t>(word >> native::kMethodShift & native::kMaxMethod);
    const auto type = static_cast<Escape>(word >> native::kEscapeShift & 7);
    if (kind == Word::enter) {
      summary.enter(thread_, method, tick_of(word));
    } else if (kind == Word::leave) {
      summary.leave(thread_, method, tick_of(word));
    } else if (type == Escape::thread || type == Escape::unwind) {
      if (taken_ + 1 == count_) return false;
      const std::uint64_t follows = word_at(++taken_) & ~native::kFollows;
      if (type == Escape::thread) thread_ = follows;
      else summary.leave(thread_, static_cast<std::uint32_t>(follows), tick_of(word));
    } else {
      return true;
    }
    ++taken_;
  }
  return false;
}

// One event's words, as the format itself moves them.
bool SummaryWords::move_event(native::RecordEncoder& out) {
  const std::uint64_t word = word_at(taken_);
  const auto type = static_cast<Escape>(word >> native::kEscapeShift & 7);
  const std::uint64_t argument = word >> native::kArgumentShift & native::kMaxArgument;
  const std::uint64_t more = type == Escape::event ? argument : type == Escape::alloc_array ? 1 : 0;
  const std::uint64_t words = std::min<std::uint64_t>(1 + more, count_ - taken_);
  native::SegmentWords event(words_ + taken_, static_cast<std::uint32_t>(words), base_tick_,
                             thread_);
  if (!event.move_to(out) && !event.damaged()) return false;
  taken_ += static_cast<std::uint32_t>(words);
  return true;
}

}  // namespace polytrace::agent
