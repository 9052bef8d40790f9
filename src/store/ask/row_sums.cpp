// SPDX-License-Identifier: Apache-2.0
#include "store/ask/row_sums.hpp"

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using base::fail;
using base::Unexpected;

// Sorted indexes of threads.
using ThreadList = std::vector<u32>;

bool is_among(const ThreadList& threads, u32 thread) {
  return std::ranges::binary_search(threads, thread);
}

class RowSumming {
 public:
  RowSumming(const RowFrames& frames, SumKind kind, const Range& range)
      : frames_(frames), kind_(kind), range_(range), sums_(frames.sums(kind)) {
    u32 segments = 0;
    for (const RowFrames::Sums& sums : sums_) {
      segments_before_.push_back(segments);
      segments += sums.level == 0 ? 1 : 0;
    }
  }

  base::result<std::vector<SumEntry>> run() {
    ThreadList threads = range_.threads;
    std::ranges::sort(threads);
    const ThreadList* const chosen = threads.empty() ? nullptr : &threads;
    if (auto done = take(0, sums_.size(), kMostLevels, chosen); !done)
      return Unexpected(done.error());
    add_equal();
    return std::move(entries_);
  }

 private:
  static constexpr std::size_t kMany = std::size_t{1} << 20;
  static constexpr unsigned kFanBits = 4;
  static constexpr unsigned kMostLevels = 16;

  // Frames [begin, end), all below a level, with all that they cover. `threads`: null for all.
  base::result<void> take(std::size_t begin, std::size_t end, unsigned level,
                          const ThreadList* threads) {
    while (begin < end) {
      if (is_stopped()) return fail(Code::limit_exceeded, "stopped");
      if (sums_[begin].level >= level) return fail(Code::value_unexpected);
      const std::size_t next = std::min(end, end_of(begin));
      const RowFrames::Sums& frame = sums_[begin];
      if (frame.least < range_.to && frame.greatest >= range_.from)
        if (auto done = take_frame(begin, next, threads); !done) return done;
      begin = next;
    }
    return {};
  }
  // The frame at `at`, which covers those up to `end`.
  base::result<void> take_frame(std::size_t at, std::size_t end, const ThreadList* threads) {
    const RowFrames::Sums& frame = sums_[at];
    const auto payload = frames_.payload(frame);
    if (!payload) return Unexpected(payload.error());
    const auto sums = read_row_sums(kind_, *payload, frame.least);
    if (!sums) return Unexpected(sums.error());
    const ThreadList parted = take_whole(*sums, threads);
    if (parted.empty()) return {};
    if (frame.level == 0) return take_rows(frame.first_row, parted);
    return take(at + 1, end, frame.level, &parted);
  }
  // Takes the threads whose rows are all in the range; gives those of which some are.
  ThreadList take_whole(const RowSums& sums, const ThreadList* threads) {
    ThreadList parted;
    auto entry = sums.entries.begin();
    for (const SumThread& thread : sums.threads) {
      const auto begin = std::exchange(entry, entry + thread.entries);
      if (threads != nullptr && !is_among(*threads, thread.thread)) continue;
      if (thread.last < range_.from || thread.first >= range_.to) continue;
      if (thread.first >= range_.from && thread.last < range_.to)
        entries_.insert(entries_.end(), begin, entry);
      else parted.push_back(thread.thread);
    }
    if (entries_.size() > 2 * most_) {
      add_equal();
      most_ = std::max(kMany, entries_.size());
    }
    return parted;
  }
  base::result<void> take_rows(u64 first_row, const ThreadList& threads) {
    const auto payload = frames_.segment(rows_of(kind_), first_row);
    if (!payload) return Unexpected(payload.error());
    auto view = RowView::open(*payload);
    if (!view) return Unexpected(view.error());
    if (view->kind() != rows_of(kind_)) return fail(Code::value_unexpected);
    const auto columns = sum_columns(kind_, [&](u16 field) { return view->numbers(field); });
    if (!columns) return Unexpected(columns.error());
    add_rows(kind_, *columns, [&](const SumRow& row) {
      if (row.time >= range_.from && row.time < range_.to &&
          is_among(threads, row.entry.key.thread))
        entries_.push_back(row.entry);
    });
    return {};
  }

  // Behind what the frame covers.
  std::size_t end_of(std::size_t at) const {
    const u64 behind = segments_before_[at] + (u64{1} << kFanBits * sums_[at].level);
    const auto found =
        std::lower_bound(segments_before_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                         segments_before_.end(), behind);
    return static_cast<std::size_t>(found - segments_before_.begin());
  }
  bool is_stopped() const { return range_.stop != nullptr && *range_.stop; }

  void add_equal() {
    std::ranges::sort(entries_, {}, &SumEntry::key);
    std::size_t last = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      if (entries_[i].key != entries_[last].key) entries_[++last] = entries_[i];
      else add(entries_[last], entries_[i]);
    }
    if (!entries_.empty()) entries_.resize(last + 1);
  }
  static void add(SumEntry& to, const SumEntry& more) {
    for (std::size_t i = 0; i < to.measures.size(); ++i) to.measures[i] += more.measures[i];
  }

  const RowFrames& frames_;
  SumKind kind_;
  const Range& range_;
  std::span<const RowFrames::Sums> sums_;
  std::vector<u32> segments_before_;  // by frame: how many segments end before it
  std::vector<SumEntry> entries_;
  std::size_t most_ = kMany;
};

}  // namespace

base::result<std::vector<SumEntry>> row_sums(const RowFrames& frames, SumKind kind,
                                             const Range& range) {
  return RowSumming(frames, kind, range).run();
}

}  // namespace polytrace::store
