// SPDX-License-Identifier: Apache-2.0
// Puts any number of intervals in order in bounded memory: for sources that have another order than
// who needs them. One thread at a time.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <span>
#include <string>

#include "base/io/spill_sorter.hpp"
#include "history/model/value.hpp"

namespace polytrace::history {

enum class IntervalOrder : std::uint8_t {
  by_key,   // then start, then end
  by_time,  // start, then key, then end
};

class IntervalSorter {
 public:
  // Keeps about `most_bytes` in memory, 1 MiB at least, or twice the longest text.
  explicit IntervalSorter(IntervalOrder order, std::size_t most_bytes = std::size_t{256} << 20)
      : most_text_(std::max(most_bytes, kLeastBytes) / 4),
        sorter_(std::max(most_bytes, kLeastBytes) / 2, {order}) {}

  // Copies them. `ongoing` is not kept. Errors: write_failed.
  base::result<void> add(std::span<const Interval> intervals) {
    for (const Interval& interval : intervals) add(interval);
    if (sorter_.error()) return base::Unexpected(*sorter_.error());
    return {};
  }

  // Gives all of them in order, equal ones in that of add(), each(std::span<const Interval>) some
  // at a time, valid during the call. Once, after the last add(). Errors: write_failed,
  // read_failed, those of `each`.
  template <class Each>
  base::result<void> deliver(const Each& each) {
    base::result<void> taken;
    const auto delivered = sorter_.deliver([&](const Interval& one) {
      taken = each(std::span(&one, 1));
      return taken.has_value();
    });
    return taken ? delivered : taken;
  }

 private:
  struct Order {
    IntervalOrder order;
    std::array<Tick, 3> operator()(const Interval& one) const {
      if (order == IntervalOrder::by_key) return {one.key, one.start, one.end};
      return {one.start, one.key, one.end};
    }
  };
  struct Packing {
    using Item = Interval;
    struct Head {
      Tick start;
      Tick end;
      std::uint64_t bits;
      Key key;
      std::uint32_t length;
      Type type;
    };

    static void pack(base::Appender& out, const Interval& one, const Interval&) {
      const std::string_view text = one.value.text();
      out.fixed(Head{.start = one.start,
                     .end = one.end,
                     .bits = one.value.bits(),
                     .key = one.key,
                     .length = static_cast<std::uint32_t>(text.size()),
                     .type = one.value.type()});
      out.text(text);
    }
    static void unpack(base::SpilledRun& in, Interval& one) {
      Head head;
      const std::byte* at = in.want(sizeof head);
      std::memcpy(&head, at, sizeof head);
      in.take_to(at + sizeof head);
      at = in.want(head.length);
      in.take_to(at + head.length);
      one = {.key = head.key,
             .start = head.start,
             .end = head.end,
             .value = Value::from(head.type, head.bits,
                                  {reinterpret_cast<const char*>(at), head.length})};
    }
  };

  static constexpr std::size_t kLeastBytes = std::size_t{1} << 20;
  static constexpr std::size_t kBlock = std::size_t{64} << 10;

  void add(const Interval& interval) {
    const Type type = interval.value.type();
    const bool has_text = type == Type::string || type == Type::bytes;
    const std::string_view text = has_text ? interval.value.text() : std::string_view();
    if (sorter_.full() || text_bytes_ + text.size() > most_text_) {
      sorter_.spill();
      blocks_.clear();
      text_bytes_ = 0;
    }
    sorter_.add({.key = interval.key,
                 .start = interval.start,
                 .end = interval.end,
                 .value = Value::from(type, interval.value.bits(), keep(text))});
  }
  // In a block, none of which ever moves.
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < text.size())
      blocks_.emplace_back().reserve(std::max(kBlock, text.size()));
    std::string& block = blocks_.back();
    block += text;
    text_bytes_ += text.size();
    return std::string_view(block).substr(block.size() - text.size());
  }

  std::size_t most_text_;
  base::SpillSorter<Packing, Order> sorter_;
  std::deque<std::string> blocks_{};  // the texts of what the sorter holds
  std::size_t text_bytes_ = 0;
};

}  // namespace polytrace::history
