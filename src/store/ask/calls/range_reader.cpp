// SPDX-License-Identifier: Apache-2.0
#include "store/ask/calls/range_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/codes.hpp"
#include "base/large_pages.hpp"
#include "base/raw_array.hpp"
#include "store/ask/calls/cover.hpp"
#include "store/ask/calls/open_calls.hpp"
#include "store/read/block_events.hpp"

namespace polytrace::store {
namespace {

using Block = CallFrames::Block;

base::Unexpected stopped() { return base::fail(base::Code::read_failed, "stopped"); }

// One entry for each path, in memory that is touched where something is added only.
class SumsByPath {
 public:
  explicit SumsByPath(std::size_t paths)
      : paths_(paths), sums_(static_cast<PathFigures*>(std::calloc(paths, sizeof(PathFigures)))) {
    if (sums_ == nullptr) throw std::bad_alloc();
    base::want_large_pages(sums_.get(), paths * sizeof(PathFigures));
  }
  void add(const PathSum& sum) { of(sum.path).add(sum); }
  void take_off(const PathSum& sum) { of(sum.path).take_off(sum); }
  // What of it lay in pauses.
  void add_paused(const PathSum& sum) {
    PathFigures& own = of(sum.path);
    own.paused += sum.self;
    own.paused_waits += sum.blocked + sum.waiting;
    own.blocked -= sum.blocked;
    own.waiting -= sum.waiting;
  }
  // By path; none of which all is 0.
  std::vector<PathFigures> take() {
    std::vector<PathFigures> all;
    all.reserve(told_.size());
    base::want_large_pages(all.data(), told_.size() * sizeof(PathFigures));
    const auto put = [&](const PathFigures& sum) {
      if (sum.path != kEmptyPath && (sum.calls != 0 || sum.self != 0 || sum.cpu != 0))
        all.push_back(sum);
    };
    if (told_.size() >= paths_ / 8) {
      for (std::size_t path = 0; path < paths_; ++path) put(sums_[path]);
    } else {
      std::sort(told_.begin(), told_.end());
      for (const std::uint32_t path : told_) put(sums_[path]);
    }
    return all;
  }

 private:
  struct Free {
    void operator()(PathFigures* sums) const { std::free(sums); }
  };
  PathFigures& of(std::uint32_t path) {
    PathFigures& own = sums_[path];
    if (own.path != path) {  // so that of the empty path never counts
      own.path = path;
      told_.push(path);
    }
    return own;
  }

  std::size_t paths_;
  std::unique_ptr<PathFigures[], Free> sums_;
  base::RawArray<std::uint32_t> told_;
};

class RangeReader {
 public:
  // `pauses`: null where they are not known.
  RangeReader(const CallFrames& frames, const Range& range, const slice::Pauses* pauses)
      : frames_(frames), range_(range), pauses_(pauses), sums_(frames.paths().size()) {}

  base::result<void> add(std::uint32_t thread);
  std::vector<PathFigures> take() { return sums_.take(); }

 private:
  bool is_stopped() const { return range_.stop != nullptr && *range_.stop; }
  bool has_pauses() const { return pauses_ != nullptr && !pauses_->all.empty(); }
  bool is_inside(const Block& block) const {
    return block.before >= range_.from && block.last < range_.to;
  }
  void add_read() {
    for (const PathSum& sum : read_) sums_.add(sum);
    read_.clear();
  }
  void take_read_off() {
    for (const PathSum& sum : read_) sums_.take_off(sum);
    read_.clear();
  }
  void add_read_pauses() {
    for (const PathSum& sum : read_) sums_.add_paused(sum);
    read_.clear();
  }
  base::result<void> add_open(std::uint32_t thread, std::uint32_t place);
  base::result<void> add_part(std::uint32_t thread, std::uint32_t place);
  // Blocks [place, end), which are inside.
  base::result<void> add_whole(std::uint32_t thread, std::uint32_t place, std::uint32_t end);
  base::result<void> add_piece(std::uint32_t thread, const CoverPiece& piece);
  // Pauses in blocks [place, end), which are inside.
  base::result<void> add_pauses(std::uint32_t thread, std::uint32_t place, std::uint32_t end);
  base::result<std::uint32_t> add_some_pauses(std::uint32_t thread, std::uint32_t place,
                                              std::uint32_t end);

  const CallFrames& frames_;
  const Range& range_;
  const slice::Pauses* pauses_;
  SumsByPath sums_;
  std::vector<PathSum> read_;
};

base::result<void> RangeReader::add(std::uint32_t thread) {
  const auto blocks = frames_.blocks(thread);
  auto [at, end] = frames_.met_by(thread, range_.from, range_.to);
  if (at == end) return {};
  if (auto done = add_open(thread, at); !done) return done;
  std::uint32_t inside_end = end;
  while (inside_end > at && !is_inside(blocks[inside_end - 1])) --inside_end;
  std::uint32_t inside = at;
  while (inside < inside_end && !is_inside(blocks[inside])) ++inside;
  for (std::uint32_t place = at; place < inside; ++place)
    if (auto done = add_part(thread, place); !done) return done;
  if (auto done = add_whole(thread, inside, inside_end); !done) return done;
  for (std::uint32_t place = inside_end; place < end; ++place)
    if (auto done = add_part(thread, place); !done) return done;
  if (has_pauses()) return add_pauses(thread, inside, inside_end);
  return {};
}

// Calls that are open when the range begins.
base::result<void> RangeReader::add_open(std::uint32_t thread, std::uint32_t place) {
  const auto payload = frames_.payload(thread, place);
  if (!payload) return base::Unexpected(payload.error());
  const auto head = read_block_head(*payload);
  if (!head) return base::Unexpected(head.error());
  if (range_.from <= head->before && head->open == 0) return {};
  const auto block = frames_.block(thread, place);
  if (!block) return base::Unexpected(block.error());
  const Paths& paths = frames_.paths();
  const BlockPosition at = position_before(**block, range_.from);
  const std::uint32_t innermost = (*block)->locals()[at.local].path;
  std::uint32_t path = innermost;
  while (path != kEmptyPath && !paths.is_merged(path)) path = paths.parent(path);
  if (path == kEmptyPath) {
    for (path = innermost; path != kEmptyPath; path = paths.parent(path)) sums_.add({path, 1});
    return {};
  }
  const auto open = open_calls_before(frames_, thread, range_.from);
  if (!open) return base::Unexpected(open.error());
  for (const OpenCall& call : *open) sums_.add({call.path, 1});
  return {};
}

base::result<void> RangeReader::add_part(std::uint32_t thread, std::uint32_t place) {
  if (is_stopped()) return stopped();
  const auto block = frames_.block(thread, place);
  if (!block) return base::Unexpected(block.error());
  const auto locals = (*block)->locals();
  read_.resize(locals.size());
  for (std::size_t i = 0; i < locals.size(); ++i) read_[i] = {locals[i].path};
  (*block)->add_figures(range_.from, range_.to, read_);
  add_read();
  if (!has_pauses()) return {};
  read_.resize(locals.size());
  for (std::size_t i = 0; i < locals.size(); ++i) read_[i] = {locals[i].path};
  (*block)->add_pauses(range_.from, range_.to, pauses_->all, read_);
  add_read_pauses();
  return {};
}

base::result<void> RangeReader::add_pauses(std::uint32_t thread, std::uint32_t place,
                                           std::uint32_t end) {
  while (place < end) {
    if (is_stopped()) return stopped();
    const auto next = add_some_pauses(thread, place, end);
    if (!next) return base::Unexpected(next.error());
    place = *next;
  }
  return {};
}

// Of the largest frame that begins there and fits, else of one block: where to go on.
base::result<std::uint32_t> RangeReader::add_some_pauses(std::uint32_t thread, std::uint32_t place,
                                                         std::uint32_t end) {
  using Sums = CallFrames::Sums;
  const auto sums = frames_.pause_sums(thread), parts = frames_.pause_parts(thread);
  const std::uint32_t paths = frames_.paths().size();
  auto at = std::ranges::lower_bound(sums, place, {}, &Sums::first);
  for (; at != sums.end() && at->first == place; ++at) {
    if (at->blocks > end - place || at->blocks == 0) continue;
    const auto payload = frames_.payload(*at);
    if (!payload) return base::Unexpected(payload.error());
    if (auto read = read_sums(*payload, paths, read_); !read) return base::Unexpected(read.error());
    add_read_pauses();
    return place + at->blocks;
  }
  const auto behind = std::ranges::upper_bound(parts, place, {}, &Sums::first);
  if (behind != parts.begin() && place - std::prev(behind)->first < std::prev(behind)->blocks) {
    const Sums& part = *std::prev(behind);
    const auto payload = frames_.payload(part);
    if (!payload) return base::Unexpected(payload.error());
    const auto read = read_pause_part(*payload, place - part.first, paths, read_);
    if (!read) return base::Unexpected(read.error());
    add_read_pauses();
    return place + 1;
  }
  // What has larger sums has parts, too.
  return behind == parts.end() ? end : std::min(end, behind->first);
}

base::result<void> RangeReader::add_whole(std::uint32_t thread, std::uint32_t place,
                                          std::uint32_t end) {
  const auto blocks = static_cast<std::uint32_t>(frames_.blocks(thread).size());
  for (const CoverPiece& piece : cover(frames_.sums(thread), blocks, place, end))
    if (auto done = add_piece(thread, piece); !done) return done;
  return {};
}

base::result<void> RangeReader::add_piece(std::uint32_t thread, const CoverPiece& piece) {
  if (is_stopped()) return stopped();
  const auto payload =
      piece.sums != nullptr ? frames_.payload(*piece.sums) : frames_.payload(thread, piece.place);
  if (!payload) return base::Unexpected(payload.error());
  const std::uint32_t paths = frames_.paths().size();
  const auto read = piece.sums != nullptr ? read_sums(*payload, paths, read_)
                                          : read_block_sums(*payload, paths, read_);
  if (!read) return read;
  piece.takes_off ? take_read_off() : add_read();
  return {};
}

}  // namespace

base::result<std::vector<PathFigures>> read_range(const CallFrames& frames, const Range& range,
                                                  const slice::Pauses* pauses) {
  RangeReader reader(frames, range, pauses);
  const auto asked =
      ask_threads(frames, range, [&](std::uint32_t thread) { return reader.add(thread); });
  if (!asked) return base::Unexpected(asked.error());
  return reader.take();
}

}  // namespace polytrace::store
