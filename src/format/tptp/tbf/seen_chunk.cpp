// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/seen_chunk.hpp"

namespace polytrace::format::tptp {

void SeenChunk::add(const Frame& frame, std::size_t at, const StreamState& state) {
  const bool header = frame.step == Step::header;
  if (header || frame.id < kFirstDataId) states.push_back(state);
  if (!header && find_message(frame.id) == nullptr) return;
  parts.push_back({header ? Sort::header : Sort::message, static_cast<std::uint8_t>(frame.payload),
                   frame.id, static_cast<std::uint32_t>(states.size() - 1), at, frame.bytes,
                   state.now});
}

void CallFollower::turn_to(base::Id thread) {
  for (std::size_t i = used_; i != 0; --i) {
    at_ = &threads_[i - 1];
    if (at_->seen.id == thread) return;
  }
  if (used_ == kMostThreads) {
    odd_ = true;
    used_ = 0;
  }
  at_ = &threads_[used_++];
  at_->seen = {.id = thread};
  at_->exits.clear();
  at_->open.clear();
}

SeenChunk::Range CallFollower::put(std::span<const event::OpenCall> calls) {
  const auto begin = static_cast<std::uint32_t>(chunk_.calls.size());
  chunk_.calls.append(calls);
  return {begin, static_cast<std::uint32_t>(chunk_.calls.size())};
}

void CallFollower::end(std::size_t at, std::size_t bytes) {
  if (odd_) {
    chunk_.ids.cut(ids_begin_);
    return chunk_.add(SeenChunk::Sort::calls, at, bytes);
  }
  chunk_.add(SeenChunk::Sort::summed_calls, at, bytes);
  SeenChunk::Part& part = chunk_.parts.back();
  part.ids = {ids_begin_, static_cast<std::uint32_t>(chunk_.ids.size())};
  part.threads.begin = static_cast<std::uint32_t>(chunk_.threads.size());
  for (Thread& thread : std::span(threads_).first(used_)) {
    thread.seen.exits = put({thread.exits.data(), thread.exits.size()});
    thread.seen.open = put({thread.open.data(), thread.open.size()});
    chunk_.threads.push_back(thread.seen);
  }
  part.threads.end = static_cast<std::uint32_t>(chunk_.threads.size());
}

}  // namespace polytrace::format::tptp
