// SPDX-License-Identifier: Apache-2.0
#include "store/build/rows/row_sums.hpp"

#include <bit>

#include "base/seeded_hash.hpp"

namespace polytrace::store {
namespace {

// Beyond this, sums of a level are no help to anyone.
constexpr std::size_t kMostEntriesKept = std::size_t{1} << 18;

// Adds rows of equal keys.
class SumTable {
 public:
  explicit SumTable(u32 most_rows) : bits_(std::bit_width(most_rows) + 1U) {}

  void add(const SumEntry& more) {
    u32& place = places_[find(more.key)];
    if (place == 0) {
      entries_.push_back(more);
      place = static_cast<u32>(entries_.size());
      return;
    }
    SumEntry& entry = entries_[place - 1];
    for (std::size_t i = 0; i < more.measures.size(); ++i) entry.measures[i] += more.measures[i];
  }
  std::vector<SumEntry> take() && { return std::move(entries_); }

 private:
  std::size_t find(const SumKey& key) const {
    u64 hash = (u64{key.thread} << 32 | key.path) * 0x9e3779b97f4a7c15U + seed_;
    hash = (hash ^ hash >> 32 ^ key.class_index) * 0x9e3779b97f4a7c15U;
    std::size_t at = hash >> (64 - bits_);
    while (places_[at] != 0 && entries_[places_[at] - 1].key != key) at = (at + 1) % places_.size();
    return at;
  }

  u64 seed_ = base::process_seed();
  unsigned bits_;
  std::vector<u32> places_ = std::vector<u32>(std::size_t{1} << bits_);
  std::vector<SumEntry> entries_;
};

// From when to when threads tell rows.
class ThreadTimes {
 public:
  void add(u32 thread, base::Time time) {
    if (threads_.empty() || thread != last_) {
      last_ = thread;
      const auto [found, is_new] = places_.try_emplace(thread, static_cast<u32>(threads_.size()));
      place_ = found->second;
      if (is_new) threads_.push_back({thread, time, time, 0});
    }
    SumThread& times = threads_[place_];
    times.first = std::min(times.first, time);
    times.last = std::max(times.last, time);
  }
  std::vector<SumThread> take() && { return std::move(threads_); }

 private:
  u32 last_ = 0;
  u32 place_ = 0;
  base::IdMap<u32> places_;
  std::vector<SumThread> threads_;
};

bool is_before(const SumEntry& a, const SumEntry& b) { return a.key < b.key; }

// REQUIRES: all in order of keys.
void add_equal(std::vector<SumEntry>& entries) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].key != entries[last].key) {
      entries[++last] = entries[i];
      continue;
    }
    for (std::size_t k = 0; k < entries[i].measures.size(); ++k)
      entries[last].measures[k] += entries[i].measures[k];
  }
  if (!entries.empty()) entries.resize(last + 1);
}

void add_equal(std::vector<SumThread>& threads) {
  std::ranges::sort(threads, {}, &SumThread::thread);
  std::size_t last = 0;
  for (std::size_t i = 1; i < threads.size(); ++i) {
    if (threads[i].thread != threads[last].thread) {
      threads[++last] = threads[i];
      continue;
    }
    threads[last].first = std::min(threads[last].first, threads[i].first);
    threads[last].last = std::max(threads[last].last, threads[i].last);
  }
  if (!threads.empty()) threads.resize(last + 1);
}

void count_entries(RowSums& sums) {
  auto entry = sums.entries.begin();
  for (SumThread& thread : sums.threads) {
    const auto begin = entry;
    while (entry != sums.entries.end() && entry->key.thread == thread.thread) ++entry;
    thread.entries = static_cast<u32>(entry - begin);
  }
}

// Merges neighbours until one part is left. `ends`: of the parts, each in order.
void merge_parts(std::vector<SumEntry>& entries, std::vector<std::size_t>& ends) {
  std::vector<SumEntry> merged(ends.size() > 1 ? entries.size() : 0);
  while (ends.size() > 1) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      left.push_back(ends[std::min(i + 1, ends.size() - 1)]);
      const SumEntry* const from = entries.data();
      std::merge(from + begin, from + ends[i], from + ends[i], from + left.back(),
                 merged.data() + begin, is_before);
    }
    entries.swap(merged);
    ends = std::move(left);
  }
}

// A column by row.
std::span<const u64> by_row(const Told& told, u32 rows, u64 none, std::vector<u64>& room) {
  if (told.count() == rows || told.count() == 0) return told.numbers();
  room.assign(rows, none);
  auto number = told.numbers().begin();
  for (u32 row = 0; row < rows; ++row)
    if (told.tells(row)) room[row] = *number++;
  return room;
}

}  // namespace

RowSums sum_segment(SumKind kind, const RowColumns& columns) {
  std::vector<std::vector<u64>> rooms;
  const auto get = [&](u16 field) -> base::result<std::span<const u64>> {
    rooms.emplace_back();
    const bool own = field >= kMovedField;
    const Told& told = own ? columns.own(field) : columns.field(field).numbers;
    const u64 none = own ? ~u64{0} : fields_of(columns.kind())[field].none;
    return by_row(told, columns.rows(), none, rooms.back());
  };
  SumTable table(columns.rows());
  ThreadTimes times;
  add_rows(kind, *sum_columns(kind, get), [&](const SumRow& row) {
    table.add(row.entry);
    times.add(row.entry.key.thread, row.time);
  });
  RowSums sums{std::move(times).take(), std::move(table).take()};
  std::ranges::sort(sums.entries, is_before);
  add_equal(sums.threads);
  count_entries(sums);
  return sums;
}

void RowSumLevels::add(const RowColumns& columns, u64 first_row, const Taker& take) {
  Part part{first_row, columns.least(), columns.greatest(), sum_segment(kind_, columns)};
  part.below = part.sums.entries.size();
  take(frame_of(part, 0));
  add(std::move(part), 0, take);
}

RowSumLevels::Frame RowSumLevels::frame_of(const Part& part, unsigned level) const {
  Frame frame{level, part.first_row, static_cast<u32>(part.sums.entries.size()), part.least,
              part.greatest};
  append_row_sums(kind_, part.sums, part.least, frame.payload);
  return frame;
}

void RowSumLevels::add(Part part, std::size_t level, const Taker& take) {
  if (levels_.size() == level) levels_.emplace_back();
  Level& to = levels_[level];
  if (to.parts == 0) to.all = Part{part.first_row, part.least, part.greatest};
  append(to, part);
  if (++to.parts < kFan) return;
  combine(to);
  Part whole = std::exchange(to, {}).all;
  const std::size_t entries = whole.sums.entries.size();
  if (!whole.hopeless && entries * 4 <= whole.below * 3) {
    take(frame_of(whole, static_cast<unsigned>(level) + 1));
    whole.below = entries;
  }
  add(std::move(whole), level + 1, take);
}

void RowSumLevels::append(Level& level, const Part& part) {
  Part& all = level.all;
  all.least = std::min(all.least, part.least);
  all.greatest = std::max(all.greatest, part.greatest);
  all.below += part.below;
  all.hopeless = all.hopeless || part.hopeless;
  if (all.hopeless) return combine(level);
  const auto behind = [](auto& items, const auto& more) {
    items.insert(items.end(), more.begin(), more.end());
  };
  behind(all.sums.threads, part.sums.threads);
  behind(all.sums.entries, part.sums.entries);
  level.ends.push_back(all.sums.entries.size());
  if (all.sums.entries.size() > 2 * kMostEntriesKept) combine(level);
}

// Makes one part of all, or none where they are too many to keep.
void RowSumLevels::combine(Level& level) {
  RowSums& sums = level.all.sums;
  if (!level.all.hopeless) {
    merge_parts(sums.entries, level.ends);
    add_equal(sums.entries);
    add_equal(sums.threads);
    count_entries(sums);
  }
  level.all.hopeless = level.all.hopeless || sums.entries.size() > kMostEntriesKept;
  if (level.all.hopeless) sums = {};
  level.ends.assign(1, sums.entries.size());
}

std::size_t RowSumLevels::bytes() const {
  std::size_t sum = 0;
  for (const Level& level : levels_)
    sum += level.all.sums.entries.capacity() * sizeof(SumEntry) +
           level.all.sums.threads.capacity() * sizeof(SumThread);
  return sum;
}

}  // namespace polytrace::store
