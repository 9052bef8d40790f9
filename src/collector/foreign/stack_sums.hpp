// SPDX-License-Identifier: Apache-2.0
// What profiles of others tell of one series, added up by time, carrier, stack and subject, and as
// rows of a store. Stacks and subjects are numbers of whoever reads: what they are is asked at the
// end, of those that get rows. All of it is bounded, whatever is told: what there is no room for
// counts for "(... more)". Sums that would not fit in 64 bits stop at the largest one. One thread
// at a time.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/notices.hpp"
#include "collector/aggregate/frame_ids.hpp"
#include "collector/aggregate/row_maker.hpp"

namespace polytrace::collector {

// A frame as a profile tells it.
struct ForeignFrame {
  std::string name{};
  std::string file{};
  std::uint32_t line = 0;  // the method's first; 0: not told
};

// Knows what numbers mean.
class StackTexts {
 public:
  static constexpr std::uint32_t kNone = 0;                  // no stack, no subject
  static constexpr std::uint32_t kMore = ~std::uint32_t{0};  // a stack that nobody keeps apart

  StackTexts() = default;
  StackTexts(const StackTexts&) = delete;
  StackTexts& operator=(const StackTexts&) = delete;
  virtual ~StackTexts() = default;

  // Innermost first, at most `most`; whether that is all. REQUIRES: neither kNone nor kMore.
  virtual bool frames(std::uint32_t stack, std::size_t most, std::vector<ForeignFrame>& into) = 0;
  virtual std::string subject(std::uint32_t subject) = 0;
};

class StackSums {
 public:
  static constexpr std::size_t kMostKeys = std::size_t{1} << 20;  // that are kept apart
  static constexpr std::size_t kMostTimes = 20'000;
  static constexpr std::size_t kDeepest = 4'096;                    // frames of a stack
  static constexpr std::size_t kMostFrames = std::size_t{1} << 20;  // of all that get rows
  static constexpr std::size_t kMostSpan = 360;                     // windows of one profile

  struct Key {
    std::uint32_t time;  // seconds since 1970
    Carrier carrier;
    std::uint32_t stack;
    std::uint32_t subject;
    auto operator<=>(const Key&) const = default;
  };

  explicit StackSums(Accepted accepted) : accepted_(accepted) {}

  // A time as rows have it: of single events the window's begin, of a sum its own second. Nothing:
  // not accepted, or more than there is room for.
  std::optional<std::uint32_t> time_of(Time wall, bool is_event);
  void add(Key key, const Amount& amount);
  // Windows that the profile at that time spans: each counts as 10 s in which the process was
  // watched, and gives room for as many rows as one of ours has.
  void span(std::uint32_t time, std::uint64_t nanoseconds);

  void count_sample() { ++samples_; }
  std::uint64_t samples() const { return samples_; }  // of which something is in the sums
  bool empty() const { return sums_.empty(); }
  Time first() const { return first_; }  // wall times; kNoTime
  Time last() const { return last_; }
  // Rows of all that is there; `gen` tells what is of another message from what is sent again.
  void make(const SeriesIds& ids, std::uint64_t seed, std::uint8_t gen, StackTexts& texts,
            base::Notices& notices, Rows& rows);

 private:
  using Sums = std::map<Key, Amount>;
  struct Health {
    std::array<Amount, Window::kCarriers> sums{};
    std::uint64_t samples = 0;
  };
  // Behind kMostKeys only these are found.
  static Key more_of(Key key) { return {key.time, key.carrier, StackTexts::kMore, 0}; }
  void make_one(Sums::const_iterator begin, Sums::const_iterator end, std::size_t most,
                const SeriesIds& ids, std::uint8_t gen, StackTexts& texts, Rows& rows);
  warehouse::Id128 stack_of(std::uint32_t stack, StackTexts& texts);
  void make_health(const SeriesIds& ids, std::uint8_t gen, Rows& rows) const;

  Accepted accepted_;
  Sums sums_;
  std::map<std::uint32_t, std::size_t> times_;  // each with how many windows it spans
  std::size_t spans_left_ = kMostTimes;         // of all profiles
  Time first_ = base::kNoTime;
  Time last_ = base::kNoTime;
  FrameIds* frames_ = nullptr;  // while rows are made
  std::size_t frames_left_ = kMostFrames;
  std::uint64_t samples_ = 0;
  std::uint64_t cut_ = 0;     // stacks
  std::uint64_t joined_ = 0;  // stacks that were not kept apart
  std::vector<ForeignFrame> told_;
  std::vector<std::uint64_t> path_;
};

}  // namespace polytrace::collector
