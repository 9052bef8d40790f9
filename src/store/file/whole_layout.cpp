// SPDX-License-Identifier: Apache-2.0
#include "store/file/whole_layout.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/codes.hpp"
#include "base/frames/bits.hpp"
#include "base/frames/svb.hpp"

namespace polytrace::store {
namespace {

constexpr std::array kThreadNumbers{
    &ThreadWhole::events,  &ThreadWhole::calls, &ThreadWhole::in_calls, &ThreadWhole::deepest,
    &ThreadWhole::ignored, &ThreadWhole::cut,   &ThreadWhole::unended,  &ThreadWhole::dropped};

constexpr std::array kLockNumbers{&LockWhole::object, &LockWhole::class_index};

constexpr std::array kMethodNumbers{&MethodWhole::calls, &MethodWhole::total, &MethodWhole::least,
                                    &MethodWhole::most};

// Columns that are as long as the first one.
template <class Item>
class WholeReader {
 public:
  explicit WholeReader(base::Bytes payload) : left_(payload) {}

  // Calls put(item, number) for each.
  template <class Put>
  void next(Put put) {
    read();
    if (items_.empty() && is_first_) items_.resize(column_.size());
    is_first_ = false;
    if (done_ && column_.size() != items_.size()) fail();
    for (std::size_t i = 0; done_ && i < items_.size(); ++i) put(items_[i], column_[i]);
  }
  // One of another length.
  const std::vector<std::uint64_t>& read() {
    column_.clear();
    if (done_) done_ = base::read_svb(left_, column_);
    return column_;
  }
  void fail() { done_ = base::fail(base::Code::value_unexpected, "figures of the whole"); }
  bool ok() const { return done_.has_value(); }
  std::vector<Item>& items() { return items_; }
  base::result<std::vector<Item>> take() {
    if (!done_) return base::Unexpected(done_.error());
    return std::move(items_);
  }

 private:
  base::Bytes left_;
  std::vector<Item> items_;
  std::vector<std::uint64_t> column_;
  base::result<void> done_;
  bool is_first_ = true;
};

// Without zeros at its ends.
struct SketchBuckets {
  std::uint32_t lowest = 0;
  std::span<const std::uint32_t> counts{};
};
SketchBuckets buckets_of(const base::DurationSketch& sketch) {
  std::span<const std::uint32_t> counts = sketch.counts();
  std::uint32_t lowest = sketch.lowest();
  for (; !counts.empty() && counts.front() == 0; ++lowest) counts = counts.subspan(1);
  while (!counts.empty() && counts.back() == 0) counts = counts.first(counts.size() - 1);
  return {lowest, counts};
}

}  // namespace

void append_method_wholes(const std::vector<MethodWhole>& methods, std::string& payload) {
  std::vector<std::uint64_t> column(methods.size()), all;
  for (const auto number : kMethodNumbers) {
    std::ranges::transform(methods, column.begin(), number);
    base::append_svb(column, payload);
  }
  const auto buckets = [](const MethodWhole& method) { return buckets_of(method.sketch); };
  const auto lowest = [&](const MethodWhole& method) { return buckets(method).lowest; };
  const auto count = [&](const MethodWhole& method) { return buckets(method).counts.size(); };
  std::ranges::transform(methods, column.begin(), lowest);
  base::append_svb(column, payload);
  std::ranges::transform(methods, column.begin(), count);
  base::append_svb(column, payload);
  for (const MethodWhole& method : methods)
    all.insert(all.end(), buckets(method).counts.begin(), buckets(method).counts.end());
  base::append_svb(all, payload);
}

base::result<std::vector<MethodWhole>> read_method_wholes(base::Bytes payload) {
  WholeReader<MethodWhole> reader(payload);
  for (const auto number : kMethodNumbers)
    reader.next([&](MethodWhole& method, std::uint64_t value) { method.*number = value; });
  const std::vector<std::uint64_t> lowest = reader.read(), counts = reader.read();
  const std::vector<std::uint64_t>& all = reader.read();
  auto& methods = reader.items();
  if (lowest.size() != methods.size() || counts.size() != methods.size()) reader.fail();
  std::size_t at = 0;
  for (std::size_t i = 0; reader.ok() && i < methods.size(); ++i) {
    const bool fits = counts[i] <= all.size() - at && lowest[i] < base::DurationSketch::kBuckets &&
                      counts[i] <= base::DurationSketch::kBuckets - lowest[i] &&
                      (methods[i].calls != 0) == (counts[i] != 0);
    if (!fits) {
      reader.fail();
      break;
    }
    if (counts[i] == 0) continue;
    std::vector<std::uint32_t> buckets;
    for (const std::size_t end = at + counts[i]; at != end; ++at)
      buckets.push_back(static_cast<std::uint32_t>(all[at]));
    if (buckets.back() == 0) reader.fail();
    methods[i].sketch =
        base::DurationSketch::of(static_cast<std::uint32_t>(lowest[i]), std::move(buckets));
  }
  return reader.take();
}

void append_lock_wholes(const std::vector<LockWhole>& locks, std::string& payload) {
  std::vector<std::uint64_t> column(locks.size());
  for (const auto number : kLockNumbers) {
    std::ranges::transform(locks, column.begin(), number);
    base::append_svb(column, payload);
  }
}

base::result<std::vector<LockWhole>> read_lock_wholes(base::Bytes payload) {
  WholeReader<LockWhole> reader(payload);
  for (const auto number : kLockNumbers)
    reader.next([&](LockWhole& lock, std::uint64_t value) { lock.*number = value; });
  const auto& locks = reader.items();
  const auto unordered =
      std::ranges::adjacent_find(locks, std::ranges::greater_equal{}, &LockWhole::object);
  if (unordered != locks.end()) reader.fail();
  return reader.take();
}

void append_thread_wholes(const std::vector<ThreadWhole>& threads, std::string& payload) {
  std::vector<std::uint64_t> column(threads.size());
  const auto put = [&](auto number_of) {
    std::ranges::transform(threads, column.begin(), number_of);
    base::append_svb(column, payload);
  };
  for (const auto number : kThreadNumbers) put(number);
  put([](const ThreadWhole& thread) { return base::zigzag(thread.first); });
  put([](const ThreadWhole& thread) { return base::elapsed(thread.first, thread.last); });
}

base::result<std::vector<ThreadWhole>> read_thread_wholes(base::Bytes payload) {
  WholeReader<ThreadWhole> reader(payload);
  for (const auto number : kThreadNumbers)
    reader.next([&](ThreadWhole& thread, std::uint64_t value) { thread.*number = value; });
  reader.next(
      [](ThreadWhole& thread, std::uint64_t value) { thread.first = base::unzigzag(value); });
  reader.next([](ThreadWhole& thread, std::uint64_t value) {
    thread.last = base::tick_after(thread.first, value);
  });
  return reader.take();
}

}  // namespace polytrace::store
