// SPDX-License-Identifier: Apache-2.0
#include "store/file/sum_layout.hpp"

#include <utility>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using base::fail;

void append_svb_of(auto&& items, std::string& payload, auto number_of) {
  std::vector<u64> numbers;
  numbers.reserve(items.size());
  for (const auto& item : items) numbers.push_back(number_of(item));
  base::append_svb(numbers, payload);
}

// Takes columns off the front of a payload, all as long as the first. The first fault stays.
class SumReader {
 public:
  explicit SumReader(base::Bytes payload) : left_(payload) {}

  // The first column of some items; how many these are.
  std::size_t count_of_next() {
    next();
    return numbers_.size();
  }
  // Calls put(item, number) for each. `first`: the column that count_of_next() took.
  template <class Item, class Put>
  void put_same(std::vector<Item>& items, Put put) {
    for (std::size_t i = 0; i < items.size() && ok_; ++i) put(items[i], numbers_[i]);
  }
  template <class Item, class Put>
  void put_next(std::vector<Item>& items, Put put) {
    next();
    if (ok_ && numbers_.size() != items.size()) ok_ = fail(Code::value_unexpected);
    put_same(items, put);
  }
  base::result<void> end() {
    if (ok_ && !left_.empty()) ok_ = fail(Code::trailing_bytes);
    return ok_;
  }

 private:
  void next() {
    numbers_.clear();
    if (ok_) ok_ = base::read_svb(left_, numbers_);
  }

  base::Bytes left_;
  std::vector<u64> numbers_;
  base::result<void> ok_;
};

void read_threads(SumReader& reader, base::Time least, std::vector<SumThread>& threads) {
  threads.resize(reader.count_of_next());
  reader.put_same(threads, [before = u32{0}](SumThread& thread, u64 more) mutable {
    thread.thread = before += static_cast<u32>(more);
  });
  const auto time = [least](u64 more) {
    return static_cast<base::Time>(static_cast<u64>(least) + more);
  };
  reader.put_next(threads, [&](SumThread& thread, u64 more) { thread.first = time(more); });
  reader.put_next(threads, [&](SumThread& thread, u64 more) { thread.last = time(more); });
  reader.put_next(threads,
                  [](SumThread& thread, u64 count) { thread.entries = static_cast<u32>(count); });
}

// Gives entries their threads. False where there are not as many as the threads say.
bool spread(RowSums& sums) {
  auto entry = sums.entries.begin();
  for (const SumThread& thread : sums.threads) {
    if (thread.entries > static_cast<std::size_t>(sums.entries.end() - entry)) return false;
    for (const auto end = entry + thread.entries; entry != end; ++entry)
      entry->key.thread = thread.thread;
  }
  return entry == sums.entries.end();
}

// Keys from their differences.
void add_up_keys(SumKind kind, std::vector<SumEntry>& entries) {
  SumKey before{};
  for (SumEntry& entry : entries) {
    SumKey& key = entry.key;
    if (has_classes(kind) && key.thread == before.thread) key.class_index += before.class_index;
    if (key.thread == before.thread && key.class_index == before.class_index)
      key.path += before.path;
    before = key;
  }
}

}  // namespace

void append_row_sums(SumKind kind, const RowSums& sums, base::Time least, std::string& payload) {
  const auto from_least = [least](base::Time time) {
    return static_cast<u64>(time) - static_cast<u64>(least);
  };
  append_svb_of(sums.threads, payload, [before = u32{0}](const SumThread& thread) mutable {
    return u64{thread.thread - std::exchange(before, thread.thread)};
  });
  append_svb_of(sums.threads, payload, [&](const SumThread& t) { return from_least(t.first); });
  append_svb_of(sums.threads, payload, [&](const SumThread& t) { return from_least(t.last); });
  append_svb_of(sums.threads, payload, [](const SumThread& t) { return u64{t.entries}; });
  if (has_classes(kind)) {
    append_svb_of(sums.entries, payload, [before = SumKey{}](const SumEntry& entry) mutable {
      const SumKey last = std::exchange(before, entry.key);
      return u64{entry.key.class_index - (last.thread == entry.key.thread ? last.class_index : 0)};
    });
  }
  append_svb_of(sums.entries, payload, [before = SumKey{}](const SumEntry& entry) mutable {
    const SumKey last = std::exchange(before, entry.key);
    const bool same = last.thread == entry.key.thread && last.class_index == entry.key.class_index;
    return u64{entry.key.path - (same ? last.path : 0)};
  });
  for (std::size_t i = 0; i < measures_of(kind); ++i)
    append_svb_of(sums.entries, payload, [i](const SumEntry& entry) { return entry.measures[i]; });
}

base::result<RowSums> read_row_sums(SumKind kind, base::Bytes payload, base::Time least) {
  RowSums sums;
  SumReader reader(payload);
  read_threads(reader, least, sums.threads);
  sums.entries.resize(reader.count_of_next());
  const auto put_class = [](SumEntry& entry, u64 more) {
    entry.key.class_index = static_cast<u32>(more);
  };
  const auto put_path = [](SumEntry& entry, u64 more) { entry.key.path = static_cast<u32>(more); };
  if (has_classes(kind)) reader.put_same(sums.entries, put_class);
  if (has_classes(kind)) reader.put_next(sums.entries, put_path);
  else reader.put_same(sums.entries, put_path);
  for (std::size_t i = 0; i < measures_of(kind); ++i)
    reader.put_next(sums.entries, [i](SumEntry& entry, u64 n) { entry.measures[i] = n; });
  if (auto read = reader.end(); !read) return base::Unexpected(read.error());
  if (!spread(sums)) return fail(Code::value_unexpected);
  add_up_keys(kind, sums.entries);
  return sums;
}

}  // namespace polytrace::store
