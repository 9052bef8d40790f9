// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/packer.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kEnoughRows = 200'000;
constexpr std::size_t kMostRows = 400'000;
constexpr std::chrono::milliseconds kPackEvery{1000};
// So that processes of a group come together.
constexpr std::chrono::milliseconds kPackTogether{10'000};
constexpr std::chrono::milliseconds kPackAgain{500};

std::string_view text_of(Thinner::Level level) {
  switch (level) {
    case Thinner::Level::nothing: return "the outbox has room again: all rows are kept";
    case Thinner::Level::methods: return "the outbox is nearly full: rows of methods are dropped";
    case Thinner::Level::processes: break;
  }
  return "the outbox is nearly full: profiles of processes become those of their groups";
}

}  // namespace

Packer::Packer(Outbox& outbox, ThinMarks& marks, std::string who, std::uint32_t shards,
               std::size_t enough, Checkpoint& checkpoint, Figures& figures, Tell tell,
               std::function<void()> more)
    : outbox_(outbox),
      marks_(marks),
      shards_(shards),
      enough_(enough),
      checkpoint_(checkpoint),
      figures_(figures),
      tell_(std::move(tell)),
      more_(std::move(more)),
      thinner_(std::move(who)) {
  thread_ = std::thread([this] { run(); });
}

void Packer::take(Rows&& rows, const std::string& database) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return stopping_ || count_ < kMostRows; });
  count_ += rows.size();
  rows_[database].append(std::move(rows));
  if (count_ >= kEnoughRows) come_.notify_one();
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
    RowsByDatabase rows;
    std::map<std::uint64_t, Saved> saved;
    {
      std::unique_lock lock(mutex_);
      const auto every = level_ == Thinner::Level::processes ? kPackTogether : kPackEvery;
      come_.wait_for(lock, every, [&] { return stopping_ || count_ >= kEnoughRows; });
      rows.swap(rows_);
      count_ = 0;
      saved.swap(saved_);
      stops = stopping_;
      room_.notify_all();
    }
    if (rows.empty() && saved.empty()) continue;
    if (!pack(std::move(rows), saved)) return;
  }
}

void Packer::look_at_room() {
  const Thinner::Level level = outbox_.over_most()   ? Thinner::Level::processes
                               : outbox_.over_high() ? Thinner::Level::methods
                                                     : Thinner::Level::nothing;
  if (std::exchange(level_, level) != level)
    tell_({Weight::warning, "outbox", {}, 0, std::string(text_of(level))});
}

// What is in rows of several processes since before a crash.
void Packer::leave_out_marked(Rows& rows) const {
  if (marks_.empty()) return;
  std::erase_if(rows.of<warehouse::Profile10s>(), [&](const warehouse::Profile10s& row) {
    return marks_.has({row.series, row.t, row.gen});
  });
}

bool Packer::pack(RowsByDatabase&& rows, const std::map<std::uint64_t, Saved>& saved) {
  std::vector<Block> blocks;
  look_at_room();
  for (auto& [database, some] : rows) {
    leave_out_marked(some);
    figures_.rows_thinned_total += thinner_.thin(database, some, level_);
    for (Block& block : blocks_of(std::exchange(some, {}), shards_, enough_)) {
      block.database = database;
      blocks.push_back(std::move(block));
    }
  }
  const std::vector<ThinMark> marks = thinner_.take_marks();
  while (!put(blocks, marks)) {
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
bool Packer::put(const std::vector<Block>& blocks, std::span<const ThinMark> marks) {
  const auto turn = outbox_.turn();
  const auto done = [&]() -> base::result<void> {
    std::uint64_t last = 0;
    for (const Block& block : blocks) {
      const auto number = outbox_.append(block);
      if (!number) return base::Unexpected(number.error());
      last = *number;
    }
    if (auto marked = marks_.add(marks, last); !marked) return marked;
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
