// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/keeper.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSyncEvery{100};
constexpr std::size_t kSyncBytes = std::size_t{8} << 20;
constexpr std::chrono::milliseconds kAgain{1000};

}  // namespace

Keeper::Keeper(Spool& spool, Figures& figures, Tell tell, Hands hands)
    : spool_(spool), figures_(figures), tell_(std::move(tell)), hands_(std::move(hands)) {
  thread_ = std::thread([this] { run(); });
}

void Keeper::put(Input input) {
  const std::scoped_lock lock(mutex_);
  inputs_.push_back(std::move(input));
  come_.notify_one();
}

void Keeper::begin(StreamPtr stream, std::uint64_t connection, std::uint64_t offset) {
  put({Input::What::begin, std::move(stream), connection, offset, {}});
}
void Keeper::take(StreamPtr stream, std::uint64_t connection, std::vector<std::byte> bytes) {
  put({Input::What::data, std::move(stream), connection, 0, std::move(bytes)});
}
void Keeper::end(StreamPtr stream, std::uint64_t connection) {
  put({Input::What::end, std::move(stream), connection, 0, {}});
}

void Keeper::leave(StreamPtr stream, std::uint64_t connection) {
  put({Input::What::leave, std::move(stream), connection, 0, {}});
}

void Keeper::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    come_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Keeper::run() {
  auto due = SteadyClock::now();
  bool works = true;
  for (;;) {
    std::deque<Input> inputs;
    bool stops = false;
    {
      std::unique_lock lock(mutex_);
      const auto has_some = [&] { return stopping_ || !inputs_.empty(); };
      const bool idle = fresh_.empty() && appended_.empty() && whole_.empty();
      if (idle) come_.wait(lock, has_some);
      else if (!works) come_.wait_until(lock, due, [&] { return stopping_; });
      else come_.wait_until(lock, due, has_some);
      inputs.swap(inputs_);
      stops = stopping_;
      if (idle) due = SteadyClock::now() + kSyncEvery;
    }
    for (Input& input : inputs) handle(input);
    const auto now = SteadyClock::now();
    if (works || now >= due || stops) works = write();
    if (works && (now >= due || appended_bytes_ >= kSyncBytes || stops)) {
      works = sync();
      due = now + kSyncEvery;
    }
    if (!works) due = now + kAgain;
    if (stops) return;
  }
}

void Keeper::handle(Input& input) {
  Stream& stream = *input.stream;
  if (stream.connection != input.connection) return;
  // Who is refused still leaves: until then its memory stays.
  if (stream.refused && input.what != Input::What::leave) return;
  switch (input.what) {
    case Input::What::begin:
      stream.cutter = BlockCutter(input.offset);
      stream.fed = input.offset;
      break;
    case Input::What::data: cut(input); break;
    case Input::What::end: whole_.push_back(input.stream); break;
    case Input::What::leave:
      stream.cutter = BlockCutter();
      stream.connection = 0;
      break;
  }
  hands_.news(input.stream);
}

void Keeper::cut(Input& input) {
  const auto taken = input.stream->cutter.feed(input.bytes, [&](const BlockCutter::Block& block) {
    keep(input.stream, block);
    return base::result<void>();
  });
  input.stream->fed += input.bytes.size();
  figures_.stream_bytes_total += input.bytes.size();
  if (!taken) hands_.damaged(input.stream, base::to_text(taken.error()));
}

void Keeper::keep(const StreamPtr& stream, const BlockCutter::Block& block) {
  stream->waiting += block.bytes.size();
  figures_.waiting_bytes += block.bytes.size();
  fresh_.push_back({stream, block.index, block.offset, {block.bytes.begin(), block.bytes.end()}});
}

bool Keeper::write() {
  for (; !fresh_.empty(); fresh_.pop_front()) {
    KeptBlock& block = fresh_.front();
    const auto appended = spool_.append(block.stream->id, block.view());
    if (!appended) return fail(appended.error());
    // What is there already is with its worker already, or is given to it from the spool.
    if (*appended) {
      appended_bytes_ += block.bytes.size();
      appended_.push_back(std::move(block));
      continue;
    }
    block.stream->waiting -= block.bytes.size();
    figures_.waiting_bytes -= block.bytes.size();
    hands_.news(block.stream);
  }
  return true;
}

bool Keeper::sync() {
  if (const auto synced = spool_.sync(); !synced) {
    // What was appended since the last time is gone from the spool, and still here.
    for (; !appended_.empty(); appended_.pop_back()) fresh_.push_front(std::move(appended_.back()));
    appended_bytes_ = 0;
    return fail(synced.error());
  }
  if (!figures_.spool_works.exchange(true))
    tell_({Weight::news, "spool", {}, 0, "the spool can be written again"});
  figures_.spool_bytes = spool_.bytes();
  figures_.spool_dropped_blocks_total = spool_.dropped_blocks();
  figures_.blocks_duplicate_total = spool_.duplicate_blocks();
  give();
  return true;
}

void Keeper::give() {
  for (KeptBlock& block : appended_) {
    const StreamPtr stream = block.stream;
    const std::uint64_t end = block.offset + block.bytes.size();
    if (end > stream->kept) stream->kept = end;
    ++figures_.blocks_total;
    hands_.give(std::move(block));
    hands_.news(stream);
  }
  appended_.clear();
  appended_bytes_ = 0;
  for (const StreamPtr& stream : whole_) hands_.whole(stream);
  whole_.clear();
}

bool Keeper::fail(const base::Error& error) {
  if (figures_.spool_works.exchange(false))
    tell_({Weight::warning,
           "spool",
           {},
           0,
           fmt::format("the spool cannot be written: {}; agents keep what they have",
                       base::to_text(error))});
  return false;
}

}  // namespace polytrace::collector
