// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/packer.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kEnoughRows = 200'000;
constexpr std::size_t kMostRows = 400'000;
constexpr std::chrono::milliseconds kPackEvery{1000};
constexpr std::chrono::milliseconds kPackAgain{500};

}  // namespace

Packer::Packer(Outbox& outbox, Checkpoint& checkpoint, Figures& figures, Tell tell,
               std::function<void()> more)
    : outbox_(outbox),
      checkpoint_(checkpoint),
      figures_(figures),
      tell_(std::move(tell)),
      more_(std::move(more)) {
  thread_ = std::thread([this] { run(); });
}

void Packer::take(Rows&& rows) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return stopping_ || rows_.size() < kMostRows; });
  rows_.append(std::move(rows));
  if (rows_.size() >= kEnoughRows) come_.notify_one();
}

void Packer::keep(std::uint64_t stream, Saved&& saved) {
  const std::scoped_lock lock(mutex_);
  saved_[stream] = std::move(saved);
}

void Packer::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    come_.notify_all();
    room_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Packer::run() {
  for (bool stops = false; !stops;) {
    Rows rows;
    std::map<std::uint64_t, Saved> saved;
    {
      std::unique_lock lock(mutex_);
      come_.wait_for(lock, kPackEvery, [&] { return stopping_ || rows_.size() >= kEnoughRows; });
      std::swap(rows, rows_);
      saved.swap(saved_);
      stops = stopping_;
      room_.notify_all();
    }
    if (rows.size() == 0 && saved.empty()) continue;
    if (!pack(std::move(rows), saved)) return;
  }
}

bool Packer::pack(Rows&& rows, const std::map<std::uint64_t, Saved>& saved) {
  const std::vector<Block> blocks = blocks_of(rows);
  rows = {};
  while (!put(blocks)) {
    figures_.outbox_bytes = outbox_.bytes();
    if (!wait(kPackAgain)) return false;
  }
  figures_.outbox_bytes = outbox_.bytes();
  if (!figures_.outbox_has_room.exchange(true))
    tell_({Weight::news, "outbox", {}, 0, "the outbox has room again"});
  for (const auto& [stream, one] : saved)
    if (const auto kept = checkpoint_.keep(stream, one); !kept)
      tell_({Weight::warning, "checkpoint", {}, stream, base::to_text(kept.error())});
  if (!blocks.empty()) more_();
  return true;
}

// All of them, or none that counts: what a failed try left has numbers that are given anew, or goes
// twice, which the store does not mind.
bool Packer::put(const std::vector<Block>& blocks) {
  const auto done = [&]() -> base::result<void> {
    for (const Block& block : blocks) {
      if (const auto number = outbox_.append(block); !number)
        return base::Unexpected(number.error());
    }
    if (auto synced = checkpoint_.sync(); !synced) return synced;
    return outbox_.sync();
  }();
  if (done) return true;
  if (figures_.outbox_has_room.exchange(false))
    tell_({Weight::warning,
           "outbox",
           {},
           0,
           fmt::format("the outbox takes nothing: {}; agents keep what they have",
                       base::to_text(done.error()))});
  return false;
}

// False where there is no time left for it.
bool Packer::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !come_.wait_for(lock, time, [&] { return stopping_; });
}

}  // namespace polytrace::collector
