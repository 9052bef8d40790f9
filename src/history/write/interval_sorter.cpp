// SPDX-License-Identifier: Apache-2.0
#include "history/write/interval_sorter.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>

namespace polytrace::history {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{1} << 20;
constexpr std::size_t kGiven = 4096;  // intervals of one delivery
constexpr std::size_t kSortPiece = std::size_t{64} * 1024;

bool has_text(Type type) { return type == Type::string || type == Type::bytes; }

}  // namespace

// A sorted run in the file, item by item: each is a Held and its text.
class IntervalSorter::Run {
 public:
  Run(const ScratchFile& file, std::uint64_t begin, std::uint64_t end)
      : file_(file), begin_(begin), next_(begin), end_(end) {}

  std::uint64_t begin() const { return begin_; }
  const Held& held() const { return held_; }
  std::string_view text() const { return text_; }

  // False at the end.
  base::result<bool> advance() {
    if (have_ - at_ + (end_ - next_) == 0) return false;
    if (auto filled = need(sizeof held_); !filled) return base::Unexpected(filled.error());
    std::memcpy(&held_, piece_.data() + at_, sizeof held_);
    at_ += sizeof held_;
    if (auto filled = need(held_.length); !filled) return base::Unexpected(filled.error());
    text_ = {piece_.data() + at_, held_.length};
    at_ += held_.length;
    return true;
  }

 private:
  base::result<void> need(std::size_t bytes) {
    if (have_ - at_ >= bytes) return {};
    std::copy(piece_.begin() + static_cast<std::ptrdiff_t>(at_),
              piece_.begin() + static_cast<std::ptrdiff_t>(have_), piece_.begin());
    have_ -= at_;
    at_ = 0;
    piece_.resize(std::max({piece_.size(), bytes, kSortPiece}));
    const auto more =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_.size() - have_, end_ - next_));
    auto read = file_.read(next_, std::as_writable_bytes(std::span(piece_).subspan(have_, more)));
    have_ += more;
    next_ += more;
    return read;
  }

  const ScratchFile& file_;
  std::uint64_t begin_;
  std::uint64_t next_;
  std::uint64_t end_;
  std::vector<char> piece_{};
  std::size_t at_ = 0;
  std::size_t have_ = 0;
  Held held_{};
  std::string_view text_{};
};

IntervalSorter::IntervalSorter(IntervalOrder order, std::size_t most_bytes)
    : order_(order), most_bytes_(std::max(most_bytes, kLeastBytes)) {}

bool IntervalSorter::before(const Held& a, const Held& b) const {
  if (order_ == IntervalOrder::by_key)
    return std::tie(a.key, a.start, a.end) < std::tie(b.key, b.start, b.end);
  return std::tie(a.start, a.key, a.end) < std::tie(b.start, b.key, b.end);
}

void IntervalSorter::sort() {
  std::ranges::stable_sort(held_, [this](const Held& a, const Held& b) { return before(a, b); });
}

Interval IntervalSorter::interval(const Held& held) const {
  const std::string_view text = has_text(held.type)
                                    ? std::string_view(texts_).substr(held.bits, held.length)
                                    : std::string_view();
  return {.key = held.key,
          .start = held.start,
          .end = held.end,
          .value = Value::from(held.type, held.bits, text)};
}

base::result<void> IntervalSorter::add(std::span<const Interval> intervals) {
  for (const Interval& interval : intervals) {
    const Type type = interval.value.type();
    const std::string_view text = has_text(type) ? interval.value.text() : std::string_view();
    // Sorting needs as much again for the intervals.
    const std::size_t bytes = 2 * sizeof(Held) * held_.size() + texts_.size() + text.size();
    if (bytes > most_bytes_ && !held_.empty()) {
      if (auto flushed = flush(); !flushed) return flushed;
    }
    held_.push_back({.start = interval.start,
                     .end = interval.end,
                     .bits = has_text(type) ? texts_.size() : interval.value.bits(),
                     .key = interval.key,
                     .length = static_cast<std::uint32_t>(text.size()),
                     .type = type});
    texts_ += text;
  }
  return {};
}

base::result<void> IntervalSorter::flush() {
  sort();
  std::string out;
  for (const Held& held : held_) {
    out.append(reinterpret_cast<const char*>(&held), sizeof held);
    if (has_text(held.type)) out.append(texts_, held.bits, held.length);
    if (out.size() < kSortPiece) continue;
    if (auto put = file_.append(std::as_bytes(std::span(out))); !put) return put;
    out.clear();
  }
  held_.clear();
  texts_.clear();
  auto put = file_.append(std::as_bytes(std::span(out)));
  ends_.push_back(file_.size());
  return put;
}

base::result<void> IntervalSorter::deliver(const Each& each) {
  if (ends_.empty()) return deliver_held(each);
  if (auto flushed = flush(); !flushed) return flushed;
  return merge(each);
}

base::result<void> IntervalSorter::deliver_held(const Each& each) {
  sort();
  std::vector<Interval> given;
  for (std::size_t i = 0; i < held_.size(); i += given.size()) {
    given.clear();
    const std::size_t count = std::min(kGiven, held_.size() - i);
    for (std::size_t j = 0; j < count; ++j) given.push_back(interval(held_[i + j]));
    if (auto taken = each(given); !taken) return taken;
  }
  return {};
}

base::result<void> IntervalSorter::merge(const Each& each) {
  std::vector<std::unique_ptr<Run>> heap;
  const auto later = [this](const std::unique_ptr<Run>& a, const std::unique_ptr<Run>& b) {
    if (before(b->held(), a->held())) return true;
    return !before(a->held(), b->held()) && b->begin() < a->begin();
  };
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends_) {
    auto run = std::make_unique<Run>(file_, begin, end);
    begin = end;
    const auto more = run->advance();
    if (!more) return base::Unexpected(more.error());
    if (*more) heap.push_back(std::move(run));
  }
  std::ranges::make_heap(heap, later);
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, later);
    Run& run = *heap.back();
    const Held& held = run.held();
    const Interval one{.key = held.key,
                       .start = held.start,
                       .end = held.end,
                       .value = Value::from(held.type, held.bits, run.text())};
    if (auto taken = each(std::span(&one, 1)); !taken) return taken;
    const auto more = run.advance();
    if (!more) return base::Unexpected(more.error());
    if (*more) std::ranges::push_heap(heap, later);
    else heap.pop_back();
  }
  return {};
}

}  // namespace polytrace::history
