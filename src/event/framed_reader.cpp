// SPDX-License-Identifier: Apache-2.0
#include "event/framed_reader.hpp"

#include <algorithm>

namespace polytrace::event {
namespace {

constexpr std::size_t kMostAtOnce = 1024 * 1024;  // what a length claims may never come

}  // namespace

base::result<void> FrameStream::read_more(std::size_t wanted) {
  const std::size_t least = piece_.next();
  const std::size_t room = std::clamp(wanted, least, std::max(least, kMostAtOnce));
  const auto got = base::append_from(source_, *bytes_, room);
  if (!got) return base::Unexpected(got.error());
  if (*got == 0) ended_ = true;
  return {};
}

base::result<void> FrameStream::lose_all(base::Error fault) {
  const std::uint64_t begin = offset_;
  drop(bytes_->size());
  while (!ended_) {
    if (auto done = read_more(); !done) return done;
    drop(bytes_->size());
  }
  tell_lost(std::move(fault), begin);
  return {};
}

void FrameStream::tell_lost(base::Error fault, std::uint64_t begin) {
  if (fault.place.offset == base::kNoOffset) fault.place.offset = begin;
  const std::uint64_t bytes = offset_ - fault.place.offset;
  notices_.add(fault.code, std::move(fault.place), bytes, std::move(fault.detail));
}

void FrameStream::begin(Chunk& chunk) {
  chunk.bytes.clear();
  chunk.bytes.append(tail_);
  tail_.clear();
  bytes_ = &chunk.bytes;
}

void FrameStream::give(Chunk& chunk, std::size_t bytes, std::uint64_t frames) {
  bytes_ = &tail_;
  tail_.append(base::Bytes(chunk.bytes).subspan(bytes));
  chunk.bytes.cut(bytes);
  chunk.offset = offset_;
  chunk.sequence = chunks_++;
  chunk.first_frame = frames_;
  offset_ += bytes;
  frames_ += frames;
}

void FrameStream::finish(Chunk& chunk, const std::optional<base::Error>& fault) {
  chunk.offset = offset_;
  offset_ += chunk.bytes.size();
  chunk.bytes.clear();
  bytes_ = &tail_;
  if (fault && !finished_) notices_.add(fault->code, fault->place, 0, fault->detail);
  finished_ = true;
}

}  // namespace polytrace::event
