// SPDX-License-Identifier: Apache-2.0
// Puts any number of items in order in bounded memory; equal ones stay in the order they came in.
// What is in order already is only copied. Sorted runs lie in a temporary file, packed, and are
// merged at the end. One thread at a time.
//
// An Order says by what items are compared: `auto operator()(const Item&) const`, cheap to copy,
// compared by <. A Packing has
//   using Item = ...;  // trivially copyable
//   static void pack(Appender& out, const Item& item, const Item& before);
//   static void unpack(SpilledRun& in, Item& item);  // `item` is the one before
// Views that unpack() leaves in an item live until the next one of its run.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/io/appender.hpp"
#include "base/io/scratch_file.hpp"
#include "base/result.hpp"

namespace polytrace::base {

// A sorted run in the file, as bytes. The file outlives it.
class SpilledRun {
 public:
  SpilledRun(const ScratchFile& file, std::uint64_t begin, std::uint64_t end, std::size_t room)
      : file_(&file), next_(begin), end_(end), bytes_(room) {}

  bool at_end() const { return at_ == have_ && next_ == end_; }
  // The next `count` bytes, valid until the next call. Fewer at the end, zeros after a failure:
  // memory is there for all of them.
  const std::byte* want(std::size_t count) {
    if (have_ - at_ < count) [[unlikely]]
      refill(count);
    return bytes_.data() + at_;
  }
  // REQUIRES: `to` lies in what want() gave, or at its end.
  void take_to(const std::byte* to) { at_ = static_cast<std::size_t>(to - bytes_.data()); }

  // read_failed: what comes is no longer of the file.
  const std::optional<Error>& error() const { return error_; }

 private:
  void refill(std::size_t count);

  const ScratchFile* file_;
  std::uint64_t next_;
  std::uint64_t end_;
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
  std::size_t have_ = 0;
  std::optional<Error> error_{};
};

template <class Packing, class Order>
class SpillSorter {
 public:
  using Item = typename Packing::Item;
  static_assert(std::is_trivially_copyable_v<Item>);

  // Keeps about `most_bytes` of items in memory, 64 KiB at least; putting a disorderly lot of them
  // in order needs half as much again.
  explicit SpillSorter(std::size_t most_bytes, Order order = {})
      : order_(order), most_held_(std::max(most_bytes, kLeastBytes) / sizeof(Item)) {}

  void add(const Item& item) {
    if (held_.size() == held_.capacity()) [[unlikely]]
      make_room();
    if (held_.empty() || order_(item) < order_(held_.back())) pieces_.push_back(held_.size());
    held_.push_back(item);
  }
  // Writes out what is in memory: views in it are needed no longer.
  void spill();
  // Whether the next add() does that first.
  bool full() const { return held_.size() == most_held_; }
  bool holds_none() const { return held_.empty(); }
  // write_failed: what came later is lost.
  const std::optional<Error>& error() const { return error_; }
  std::uint64_t size() const { return spilled_ + held_.size(); }

  // Calls each(const Item&), bool, until it says false. Once, after the last add().
  // Errors: write_failed, read_failed.
  template <class Each>
  result<void> deliver(Each&& each);

 private:
  using Compared = std::decay_t<std::invoke_result_t<const Order&, const Item&>>;

  static constexpr std::size_t kLeastBytes = std::size_t{64} << 10;
  static constexpr std::size_t kFirstHeld = 4096;
  static constexpr std::size_t kWritten = std::size_t{64} << 10;  // at once
  static constexpr std::size_t kLeastRoom = 4096;                 // of a run
  static constexpr std::size_t kMostRoom = std::size_t{64} << 10;
  static constexpr std::size_t kOrderly = 8;  // items of a piece, at least, for pieces to be merged

  // A piece of held_ that is in order.
  class Piece {
   public:
    Piece(const Item* at, const Item* end) : at_(at), end_(end) {}
    const Item& head() const { return *at_; }
    bool next() { return ++at_ != end_; }

   private:
    const Item* at_;
    const Item* end_;
  };
  class Run {
   public:
    explicit Run(SpilledRun bytes) : bytes_(std::move(bytes)) {}
    const Item& head() const { return head_; }
    bool next() {
      if (bytes_.at_end()) return false;
      Packing::unpack(bytes_, head_);
      return !bytes_.error();
    }
    const std::optional<Error>& error() const { return bytes_.error(); }

   private:
    SpilledRun bytes_;
    Item head_{};
  };
  // The head of a source, for the heap.
  struct Head {
    Compared by;
    std::size_t source;
  };
  struct Later {
    bool operator()(const Head& a, const Head& b) const {
      return b.by < a.by || (!(a.by < b.by) && a.source > b.source);
    }
  };

  void make_room();
  std::vector<Piece> orderly_pieces();
  std::vector<Run> runs();
  template <class Source, class Each>
  void merge(std::vector<Source>& sources, Each&& each) const;
  void write();

  [[no_unique_address]] Order order_;
  std::size_t most_held_;
  std::vector<Item> held_;
  std::vector<std::size_t> pieces_;  // where each one begins
  ScratchFile file_;
  std::vector<std::uint64_t> ends_;  // of the runs in the file
  std::uint64_t spilled_ = 0;
  Appender packed_;
  std::optional<Error> error_;
};

// From the first room to all of it at once: memory is touched only when it is used, while doubling
// would need half as much again.
template <class Packing, class Order>
void SpillSorter<Packing, Order>::make_room() {
  if (full()) return spill();
  held_.reserve(held_.empty() ? std::min(most_held_, kFirstHeld) : most_held_);
}

// Merging many short pieces costs more than sorting them.
template <class Packing, class Order>
auto SpillSorter<Packing, Order>::orderly_pieces() -> std::vector<Piece> {
  if (pieces_.size() > held_.size() / kOrderly + 1) {
    std::ranges::stable_sort(held_, {}, order_);
    pieces_.assign(1, 0);
  }
  std::vector<Piece> out;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::size_t end = i + 1 < pieces_.size() ? pieces_[i + 1] : held_.size();
    out.emplace_back(held_.data() + pieces_[i], held_.data() + end);
  }
  return out;
}

// Stable: of equal heads that of the earlier source comes first. What stays in one source for long
// costs one comparison a piece. All sources have a head.
template <class Packing, class Order>
template <class Source, class Each>
void SpillSorter<Packing, Order>::merge(std::vector<Source>& sources, Each&& each) const {
  std::vector<Head> heap;
  for (std::size_t i = 0; i < sources.size(); ++i) heap.push_back({order_(sources[i].head()), i});
  std::ranges::make_heap(heap, Later{});
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, Later{});
    Head head = heap.back();
    heap.pop_back();
    Source& source = sources[head.source];
    bool more = true;
    do {
      if (!each(source.head())) return;
      more = source.next();
      if (more) head.by = order_(source.head());
    } while (more && (heap.empty() || Later{}(heap.front(), head)));
    if (!more) continue;
    heap.push_back(head);
    std::ranges::push_heap(heap, Later{});
  }
}

template <class Packing, class Order>
void SpillSorter<Packing, Order>::spill() {
  if (held_.empty()) return;
  Item before{};
  auto sources = orderly_pieces();
  merge(sources, [&](const Item& item) {
    Packing::pack(packed_, item, before);
    before = item;
    if (packed_.size() >= kWritten) write();
    return !error_;
  });
  write();
  ends_.push_back(file_.size());
  spilled_ += held_.size();
  held_.clear();
  pieces_.clear();
}

template <class Packing, class Order>
void SpillSorter<Packing, Order>::write() {
  if (auto put = file_.append(packed_.view()); !put && !error_) error_ = put.error();
  packed_.clear();
}

template <class Packing, class Order>
auto SpillSorter<Packing, Order>::runs() -> std::vector<Run> {
  const std::size_t share = most_held_ * sizeof(Item) / 2 / ends_.size();
  const std::size_t room = std::clamp(share, kLeastRoom, kMostRoom);
  std::vector<Run> out;
  out.reserve(ends_.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends_) {
    Run& run = out.emplace_back(SpilledRun(file_, begin, end, room));
    if (!run.next()) {
      if (run.error()) error_ = run.error();
      out.pop_back();
    }
    begin = end;
  }
  return out;
}

template <class Packing, class Order>
template <class Each>
result<void> SpillSorter<Packing, Order>::deliver(Each&& each) {
  if (ends_.empty()) {
    auto sources = orderly_pieces();
    merge(sources, each);
    return {};
  }
  spill();
  held_ = {};
  if (!error_) {
    auto sources = runs();
    if (!error_) merge(sources, each);
    for (const Run& run : sources)
      if (run.error()) error_ = run.error();
  }
  if (error_) return Unexpected(*error_);
  return {};
}

}  // namespace polytrace::base
