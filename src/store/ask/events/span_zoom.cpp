// SPDX-License-Identifier: Apache-2.0
#include "store/ask/events/span_zoom.hpp"

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::store {
namespace {

using base::Time;
using base::Unexpected;

bool is_everybodys(Family family) {
  return family == Family::pauses || family == Family::collections;
}

// Joins spans in any order: of several that are as long the first is kept.
class SpanJoiner {
 public:
  explicit SpanJoiner(const Stretch& stretch) : stretch_(stretch) {}

  void add(const SpanItem& item) {
    if (!stretch_.has_row(item.row)) return;
    const std::uint64_t duration = base::elapsed(item.start, item.end);
    const Cell cell{item.start, item.end, 1, duration, duration, item.number, item.name, item.row};
    if (!stretch_.has(cell)) return;
    if (cell.is_wide(stretch_.asked().level)) return wide_.push_back(cell);
    const Key key{item.row, bucket_of(item.start, stretch_.origin(), stretch_.asked().level)};
    if (last_ == nullptr || last_key_ != key) {
      const auto [at, fresh] = narrow_.try_emplace(key, Joined{cell, item});
      last_ = &at->second;
      last_key_ = key;
      if (fresh) return;
    }
    join(*last_, cell, item);
  }
  std::vector<Cell> take() {
    std::vector<Cell> cells = std::move(wide_);
    for (const auto& [key, joined] : narrow_) cells.push_back(joined.cell);
    std::ranges::sort(cells, {}, [](const Cell& cell) {
      // Shorter ones of a bucket stand before the wide one that begins in it.
      return std::tuple(cell.row, cell.start, cell.longest, cell.call);
    });
    return cells;
  }

 private:
  using Key = std::pair<std::uint32_t, std::int64_t>;
  struct Joined {
    Cell cell;
    SpanItem longest;
  };

  static void join(Joined& to, const Cell& more, const SpanItem& item) {
    Cell& cell = to.cell;
    cell.start = std::min(cell.start, more.start);
    cell.end = std::max(cell.end, more.end);
    ++cell.count;
    cell.busy += more.busy;
    const bool is_first = more.longest == cell.longest && item.order() < to.longest.order();
    if (more.longest <= cell.longest && !is_first) return;
    cell.longest = more.longest;
    cell.call = more.call;
    cell.path = more.path;
    to.longest = item;
  }

  const Stretch& stretch_;
  std::vector<Cell> wide_;
  std::map<Key, Joined> narrow_;
  Joined* last_ = nullptr;
  Key last_key_{};
};

}  // namespace

base::result<std::shared_ptr<const SpanTable>> SpanTable::read(const IndexFrames& frames,
                                                               Family family,
                                                               const std::atomic<bool>* stop) {
  auto table = std::make_shared<SpanTable>();
  Range whole;
  whole.stop = stop;
  const auto read =
      collect_spans(frames, family, whole, [&](std::uint32_t thread, const SpanItem& item) {
        table->rows_[{thread, item.row}].items.push_back(item);
        ++table->size_;
      });
  if (!read) return Unexpected(read.error());
  for (auto& [key, row] : table->rows_) {
    std::ranges::sort(row.items, {}, &SpanItem::order);
    Time furthest = std::numeric_limits<Time>::min();
    for (const SpanItem& item : row.items)
      row.furthest.push_back(furthest = std::max(furthest, item.end));
  }
  return std::shared_ptr<const SpanTable>(std::move(table));
}

std::vector<std::uint32_t> SpanTable::rows(std::uint32_t thread) const {
  std::vector<std::uint32_t> rows;
  for (auto at = rows_.lower_bound({thread, 0}); at != rows_.end() && at->first.first == thread;
       ++at)
    rows.push_back(at->first.second);
  return rows;
}

std::vector<std::uint32_t> SpanTable::threads() const {
  std::vector<std::uint32_t> threads;
  for (const auto& [key, row] : rows_)
    if (threads.empty() || threads.back() != key.first) threads.push_back(key.first);
  return threads;
}

base::result<std::shared_ptr<const SpanTable>> SpanTables::of(const IndexFrames& frames,
                                                              Family family,
                                                              const std::atomic<bool>* stop) {
  if (rows_behind(frames, family) > most_rows_) return nullptr;
  const std::lock_guard lock(mutex_);
  auto& table = tables_[static_cast<std::size_t>(family)];
  if (table != nullptr) return table;
  auto read = SpanTable::read(frames, family, stop);
  if (read) table = *read;
  return read;
}

base::result<void> zoom_spans(const IndexFrames& frames, SpanTables& tables, Time origin,
                              const Zoom& asked, const ZoomVisitor& visit) {
  if (asked.level > kMostLevel) return base::fail(base::Code::value_unexpected, "level");
  const Stretch stretch(origin, asked);
  if (stretch.from() >= stretch.to()) return {};
  const std::uint32_t thread = is_everybodys(asked.family) ? kNoIndex : asked.thread;
  SpanJoiner joiner(stretch);
  const auto table = tables.of(frames, asked.family, asked.stop);
  if (!table) return Unexpected(table.error());
  if (*table != nullptr) {
    for (const std::uint32_t row : (*table)->rows(thread))
      if (stretch.has_row(row))
        (*table)->each(thread, row, stretch.from(), stretch.to(),
                       [&](const SpanItem& item) { joiner.add(item); });
  } else {
    Range range{.from = stretch.from(), .to = stretch.to(), .threads = {}, .stop = asked.stop};
    if (!is_everybodys(asked.family)) range.threads = {thread};
    const auto read = collect_spans(frames, asked.family, range,
                                    [&](std::uint32_t, const SpanItem& item) { joiner.add(item); });
    if (!read) return read;
  }
  for (const Cell& cell : joiner.take()) visit(stretch.item(cell));
  return {};
}

}  // namespace polytrace::store
