// SPDX-License-Identifier: Apache-2.0
// What the builder writes, as frames; and what it would write of what is open.
#include <algorithm>
#include <span>
#include <utility>

#include "base/frames/svb.hpp"
#include "store/build/pass/builder.hpp"
#include "store/file/whole_layout.hpp"

namespace polytrace::store {
namespace {

// Paths of one frame.
constexpr std::uint32_t kPathsPerFrame = 65536;

}  // namespace

void Builder::put_order() { jobs_.add(order_piece(order_)); }

Piece Builder::order_piece(OrderLog& order) {
  Piece piece{
      .entry = {.kind = frame::order, .count = order.events(), .number = order.first_ordinal()},
      .payload = {}};
  order.finish(piece.payload);
  return piece;
}

Piece Builder::piece_of(const EncodedBlock& block, std::string payload) {
  return {.entry = {.kind = frame::calls,
                    .stream = block.head.thread,
                    .count = static_cast<std::uint32_t>(block.events),
                    .number = block.number,
                    .least = block.head.before,
                    .greatest = block.head.last},
          .payload = std::move(payload)};
}

Piece Builder::piece_of(std::uint32_t thread, std::span<const CallEnd> ends) {
  Piece piece{.entry = {.kind = frame::ends,
                        .stream = thread,
                        .count = static_cast<std::uint32_t>(ends.size()),
                        .number = block_of(ends.front().call)},
              .payload = {}};
  append_ends(ends, piece.payload);
  return piece;
}

Piece Builder::piece_of(CellFrame frame) {
  return {.entry = {.kind = frame::cells,
                    .stream = frame.thread * kCellFamilies,
                    .level = frame.level,
                    .count = frame.blocks,
                    .number = frame.first_block,
                    .least = frame.before,
                    .greatest = frame.last},
          .payload = std::move(frame.payload)};
}

Piece Builder::piece_of(SeriesFrame frame) {
  return {.entry = {.kind = frame::series,
                    .stream = frame.thread,
                    .level = frame.level,
                    .count = frame.blocks,
                    .number = frame.first_block,
                    .least = frame.before,
                    .greatest = frame.last},
          .payload = std::move(frame.payload)};
}

void Builder::put_ends() {
  for (std::uint32_t thread = 0; thread < calls_.threads(); ++thread) {
    const std::vector<CallEnd> ends = calls_.of(thread).take_ends();
    if (!ends.empty()) jobs_.add(piece_of(thread, ends));
  }
}

void Builder::put_paths() {
  while (paths_put_ < paths_.size()) {
    const std::uint32_t count = std::min(paths_.size() - paths_put_, kPathsPerFrame);
    Piece piece{.entry = {.kind = frame::paths, .count = count, .number = paths_put_},
                .payload = {}};
    append_paths(paths_, paths_put_, count, piece.payload);
    jobs_.add(std::move(piece));
    paths_put_ += count;
  }
}

void Builder::put_entities() {
  entities_.tell(texts_, [this](std::string payload, std::uint32_t count) {
    jobs_.add({.entry = {.kind = frame::entities, .count = count},
               .payload = std::move(payload),
               .packing = Packing::compress});
  });
}

void Builder::put_chunks() {
  if (chunk_offsets_.empty()) return;
  jobs_.add(chunks_piece());
  chunks_ += chunk_offsets_.size();
  chunk_offsets_.clear();
  chunk_ordinals_.clear();
}

Piece Builder::chunks_piece() const {
  Piece piece{.entry = {.kind = frame::chunks,
                        .count = static_cast<std::uint32_t>(chunk_offsets_.size()),
                        .number = chunks_},
              .payload = {}};
  base::append_svb(chunk_offsets_, piece.payload);
  base::append_svb(chunk_ordinals_, piece.payload);
  return piece;
}

template <class Items, class Append>
void Builder::put_whole(WholeSort sort, const Items& items, Append append) {
  Piece piece{.entry = {.kind = frame::whole,
                        .level = static_cast<std::uint32_t>(sort),
                        .count = static_cast<std::uint32_t>(items.size())},
              .payload = {}};
  append(items, piece.payload);
  jobs_.add(std::move(piece));
}

void Builder::put_threads() {
  const auto& told = slicer_.names().threads();
  std::vector<ThreadWhole> threads(told.size());
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    threads[i] = {.events = told[i].events, .first = told[i].first, .last = told[i].last};
    if (i >= calls_.threads()) continue;
    const ThreadLog& log = calls_.of(i);
    const event::CallAccount& account = log.account();
    threads[i].calls = log.entered();
    threads[i].in_calls = whole_.thread(i).in_calls;
    threads[i].deepest = whole_.thread(i).deepest;
    threads[i].ignored = account.ignored;
    threads[i].cut = account.cut;
    threads[i].unended = account.unended;
    threads[i].dropped = account.dropped;
  }
  if (!threads.empty()) put_whole(WholeSort::threads, threads, append_thread_wholes);
}

void Builder::put_methods() {
  if (!whole_.gave_up()) put_whole(WholeSort::methods, whole_.methods(), append_method_wholes);
}

void Builder::put_locks() {
  const std::vector<LockWhole> locks = rows_.locks();
  if (!locks.empty()) put_whole(WholeSort::locks, locks, append_lock_wholes);
}

// What numbers in blocks and rows stand for.
void Builder::put_meanings() {
  put_entities();
  texts_.put();
  put_paths();
}

// Meanings are written for good: they are few, and would be the same later.
base::result<std::shared_ptr<const IndexView>> Builder::seal() {
  if (failure_) return base::Unexpected(*failure_);
  std::vector<Piece> open;
  for (std::uint32_t thread = 0; thread < calls_.threads(); ++thread) {
    const ThreadLog& log = calls_.of(thread);
    if (const auto block = log.copy()) {
      std::string payload;
      const EncodedBlock encoded = encode_block(*block, payload);
      open.push_back(piece_of(encoded, std::move(payload)));
    }
    if (const auto ends = log.copy_ends(); !ends.empty()) open.push_back(piece_of(thread, ends));
  }
  rows_.copy(open);
  if (OrderLog order = order_; order.events() != 0) open.push_back(order_piece(order));
  if (!chunk_offsets_.empty()) open.push_back(chunks_piece());
  put_meanings();
  if (auto written = jobs_.wait(); !written) return base::Unexpected(written.error());
  return writer_.seal(open, progress(IndexState::building));
}

std::uint64_t Builder::features() const {
  std::uint64_t all = 0;
  if (has_details_) all |= kCallDetails;
  if (rows_.has_frames()) all |= kExplicitStacks;
  if (calls_.shared().late != 0) all |= kLateTimes;
  if (paths_.has_merged()) all |= kMergedPaths;
  return all;
}

}  // namespace polytrace::store
