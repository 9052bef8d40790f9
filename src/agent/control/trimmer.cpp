// SPDX-License-Identifier: Apache-2.0
#include "agent/control/trimmer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "format/native/wire/sealing.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent::control {
namespace {

namespace native = format::native;

// Others are to be served; and what is told of holes is to be bounded: a month of clocks.
constexpr std::uint64_t kMostBlocks = 4096;
constexpr std::size_t kMostHoles = 1 << 18;
constexpr int kGiveBack = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

// What events need to be understood, and how the stream ends.
bool stays(const native::BlockHeader& block) {
  return block.content != native::Content::events || (block.segment & native::kFromRecords) != 0;
}

bool is_read(std::span<const std::uint64_t> pins, std::uint64_t from, std::uint64_t to) {
  return std::ranges::any_of(pins, [&](std::uint64_t pin) { return from < pin && pin < to; });
}

}  // namespace

void Trimmer::begin(int file) {
  holes_.clear();
  file_ = file;
  at_ = sizeof(native::StreamHeader);
  // Behind the end nothing changes, and whether it could is told.
  constexpr off_t kBehind = off_t{1} << 42;
  able_ = file >= 0 && fallocate(file, kGiveBack, kBehind, native::kUnit) == 0;
}

Trimmer::Dropped Trimmer::drop_before(std::uint64_t offset, std::span<const std::uint64_t> pins) {
  Dropped dropped;
  std::uint64_t from = at_;  // of what is to be given back
  const auto give_back = [&](std::uint64_t to) {
    if (from == to) return;
    add(from, to);  // even where it fails half way: what is there then, nobody knows
    able_ =
        fallocate(file_, kGiveBack, static_cast<off_t>(from), static_cast<off_t>(to - from)) == 0;
  };
  for (std::uint64_t looked = 0; able_; ++looked) {
    native::BlockHeader block;
    if (offset < at_ + sizeof block) break;
    dropped.more = looked == kMostBlocks;
    if (dropped.more) break;
    able_ = pread(file_, &block, sizeof block, static_cast<off_t>(at_)) == sizeof block &&
            block.mark == native::kBlockMark && native::is_sealed(block);
    const std::uint64_t end = at_ + sizeof block + block.length;
    if (!able_ || end > offset) break;
    if (stays(block) || is_read(pins, at_, end)) {
      give_back(at_);
      from = end;
    } else {
      dropped.from =
          dropped.blocks == 0 ? block.first_tick : std::min(dropped.from, block.first_tick);
      dropped.to = std::max(dropped.to, block.last_tick);
      ++dropped.blocks;
      dropped.bytes += end - at_;
      dropped.events += block.events;
    }
    at_ = end;
  }
  give_back(at_);
  return dropped;
}

void Trimmer::add(std::uint64_t from, std::uint64_t to) {
  if (!holes_.empty() && holes_.back().to == from) {
    holes_.back().to = to;
    return;
  }
  // What lies between the two oldest is then gone for who comes late.
  if (holes_.size() == kMostHoles) {
    holes_[1].from = holes_[0].from;
    holes_.erase(holes_.begin());
  }
  holes_.push_back({from, to});
}

const Trimmer::Hole* Trimmer::hole_behind(std::uint64_t offset) const {
  const auto hole = std::ranges::upper_bound(holes_, offset, {}, &Hole::to);
  return hole == holes_.end() ? nullptr : &*hole;
}

std::uint64_t Trimmer::next_kept(std::uint64_t offset) const {
  const Hole* const hole = hole_behind(offset);
  return hole != nullptr && hole->from <= offset ? hole->to : offset;
}

std::uint64_t Trimmer::kept_from(std::uint64_t offset) const {
  const Hole* const hole = hole_behind(offset);
  return hole == nullptr ? UINT64_MAX : hole->from - offset;
}

}  // namespace polytrace::agent::control
