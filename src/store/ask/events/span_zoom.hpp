// SPDX-License-Identifier: Apache-2.0
// Tracks that are not of calls, as a picture of a given width needs them: by the rules of
// ask/zoom.hpp. Spans are found in their rows; those of a family that has few are kept.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "store/ask/events/span_items.hpp"
#include "store/ask/zoom.hpp"

namespace polytrace::store {

// All spans of a family. Reading a const one: any thread.
class SpanTable {
 public:
  // Reads all rows that tell of them. Errors: as collect_spans().
  static base::result<std::shared_ptr<const SpanTable>> read(const IndexFrames& frames,
                                                             Family family,
                                                             const std::atomic<bool>* stop);

  std::size_t size() const { return size_; }
  // Calls take(span) for those of a thread's row that overlap [from, to) or begin in it, by start.
  template <class Take>
  void each(std::uint32_t thread, std::uint32_t row, base::Time from, base::Time to,
            Take take) const;
  // Both in order.
  std::vector<std::uint32_t> threads() const;
  std::vector<std::uint32_t> rows(std::uint32_t thread) const;

 private:
  struct Row {
    std::vector<SpanItem> items;       // by start
    std::vector<base::Time> furthest;  // end of those up to each
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Row> rows_;  // by thread and row
  std::size_t size_ = 0;
};

// Tables of the families of one index that have few rows. Any thread.
class SpanTables {
 public:
  static constexpr std::uint64_t kMostRows = std::uint64_t{1} << 19;  // of a family

  explicit SpanTables(std::uint64_t most_rows = kMostRows) : most_rows_(most_rows) {}

  // Null where the family has more. Errors: as SpanTable::read().
  base::result<std::shared_ptr<const SpanTable>> of(const IndexFrames& frames, Family family,
                                                    const std::atomic<bool>* stop);

 private:
  std::uint64_t most_rows_;
  std::mutex mutex_;                                        // guards what follows
  std::array<std::shared_ptr<const SpanTable>, 6> tables_;  // by family
};

// By row, then start. `tables`: of these frames. REQUIRES: not of calls. Errors: as zoom() and
// collect_spans().
base::result<void> zoom_spans(const IndexFrames& frames, SpanTables& tables, base::Time origin,
                              const Zoom& asked, const ZoomVisitor& visit);

// ------------------------------------------------------------------------------------------------

template <class Take>
void SpanTable::each(std::uint32_t thread, std::uint32_t row, base::Time from, base::Time to,
                     Take take) const {
  const auto found = rows_.find({thread, row});
  if (found == rows_.end()) return;
  const Row& of = found->second;
  const auto begin = std::ranges::lower_bound(of.items, from, {}, &SpanItem::start);
  auto at = static_cast<std::size_t>(begin - of.items.begin());
  while (at != 0 && of.furthest[at - 1] > from) --at;
  for (; at != of.items.size() && of.items[at].start < to; ++at) {
    const SpanItem& item = of.items[at];
    if (item.start >= from || item.end > from) take(item);
  }
}

}  // namespace polytrace::store
