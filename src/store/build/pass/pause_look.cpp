// SPDX-License-Identifier: Apache-2.0
#include "store/build/pass/pause_look.hpp"

#include <algorithm>
#include <utility>

#include "base/frames/svb.hpp"
#include "base/slot.hpp"
#include "store/build/sums.hpp"
#include "store/read/block_view.hpp"

namespace polytrace::store {
namespace {

constexpr std::uint32_t kPauseSort = 2 * 256;  // in Entry::level

void append_parts(std::span<const std::string> parts, std::string& payload) {
  std::vector<std::uint64_t> lengths;
  for (const std::string& part : parts) lengths.push_back(part.size());
  base::append_svb(lengths, payload);
  for (const std::string& part : parts) payload += part;
}

}  // namespace

// Blocks of one frame of level 0.
struct PauseLook::Group {
  std::vector<EncodedBlock> blocks{};  // their figures of pauses alone
  std::vector<std::string> parts{};
};

// The levels above, of one thread; in the order of its blocks.
class PauseLook::Summing {
 public:
  Summing(std::uint32_t thread, std::size_t most) : thread_(thread), most_(most) {}

  void add(const Group& group, std::vector<Piece>& more) {
    const CallSums::Taker take = [&](CallSums::Frame frame) {
      if (frame.entries == 0) return;
      more.push_back({.entry = {.kind = frame::call_sums,
                                .stream = thread_,
                                .level = frame.level + kPauseSort,
                                .count = frame.blocks,
                                .number = frame.first_block,
                                .least = frame.before,
                                .greatest = frame.last},
                      .payload = std::move(frame.payload)});
    };
    for (const EncodedBlock& block : group.blocks) sums_.add(block, take);
    if (sums_.bytes() > most_) sums_.cut(take);
  }

 private:
  std::uint32_t thread_;
  std::size_t most_;
  CallSums sums_;
};

PauseLook::PauseLook(std::unique_ptr<const IndexView> view, slice::Pauses pauses,
                     std::uint32_t paths, std::size_t most_sums)
    : view_(std::move(view)), pauses_(std::move(pauses)), paths_(paths), most_sums_(most_sums) {
  const auto& entries = view_->entries();
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].kind == frame::calls) base::slot(blocks_, entries[i].stream).push_back(i);
}

void PauseLook::run(Jobs& jobs) {
  for (std::uint32_t thread = 0; thread < blocks_.size(); ++thread) {
    const auto is_met = [&](std::size_t entry) { return meets(view_->entries()[entry]); };
    if (std::ranges::any_of(blocks_[thread], is_met)) look_at(thread, jobs);
  }
}

bool PauseLook::meets(const Entry& block) const {
  const auto pause =
      std::ranges::upper_bound(pauses_.all, block.least, {}, &slice::Pauses::Pause::end);
  return pause != pauses_.all.end() && pause->start < block.greatest;
}

void PauseLook::look_at(std::uint32_t thread, Jobs& jobs) {
  const auto summing = std::make_shared<Summing>(thread, most_sums_);
  const std::span blocks(blocks_[thread]);
  for (std::size_t at = 0; at < blocks.size(); at += kPausePartBlocks) {
    const auto some =
        blocks.subspan(at, std::min<std::size_t>(kPausePartBlocks, blocks.size() - at));
    const auto group = std::make_shared<Group>();
    const auto make = [this, some, thread, group](Piece& piece) {
      for (const std::size_t entry : some) read(entry, *group);
      const auto is_empty = [](const std::string& part) { return part.empty(); };
      if (std::ranges::all_of(group->parts, is_empty)) return;
      const Entry& first = view_->entries()[some.front()];
      piece.entry = {.kind = frame::call_sums,
                     .stream = thread,
                     .level = kPauseSort,
                     .count = static_cast<std::uint32_t>(some.size()),
                     .number = first.number,
                     .least = first.least,
                     .greatest = view_->entries()[some.back()].greatest};
      append_parts(group->parts, piece.payload);
    };
    jobs.add({}, make, [summing, group](std::vector<Piece>& more) { summing->add(*group, more); });
  }
}

void PauseLook::read(std::size_t entry, Group& group) {
  const Entry& of = view_->entries()[entry];
  EncodedBlock& made = group.blocks.emplace_back();
  std::string& part = group.parts.emplace_back();
  made.number = of.number;
  made.head.before = of.least;
  made.head.last = of.greatest;
  if (!meets(of) || failed_) return;
  thread_local CallBlock block;
  auto done = base::result<void>();
  if (const auto payload = view_->payload(entry)) done = block.read(*payload, paths_);
  else done = base::Unexpected(payload.error());
  if (!done) {
    if (!failed_.exchange(true)) error_ = done.error();
    return;
  }
  made.sums.resize(block.locals().size());
  for (std::size_t i = 0; i < made.sums.size(); ++i) made.sums[i].path = block.locals()[i].path;
  block.add_pauses(of.least, of.greatest, pauses_.all, made.sums);
  std::erase_if(made.sums, [](const PathSum& sum) { return sum.path == 0 || sum.self == 0; });
  if (made.sums.empty()) return;
  combine(made.sums);
  append_sums(made.sums, part);
}

base::result<void> PauseLook::outcome() const {
  if (error_) return base::Unexpected(*error_);
  return {};
}

}  // namespace polytrace::store
