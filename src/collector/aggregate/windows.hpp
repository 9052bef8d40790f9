// SPDX-License-Identifier: Apache-2.0
// What happened in each 10 s of the machine's wall clock, until they are closed: amounts by stack
// and subject, figures of methods, health, and what may become moments. Times are nanoseconds of
// the trace's clock; windows are numbered by wall time, from 1970 on. What lies outside the
// accepted time is counted and goes nowhere. One thread at a time.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "analysis/profile/profile.hpp"
#include "base/duration_sketch.hpp"
#include "base/seeded_hash.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

using analysis::Amount;
using analysis::Carrier;
using base::Time;

inline constexpr Time kSecond = 1'000'000'000;
inline constexpr Time kWindow = 10 * kSecond;

// Where an amount belongs: a node of its carrier's stacks, and of what class the subject is.
struct Spot {
  static constexpr std::uint32_t kNoClass = ~std::uint32_t{0};

  std::uint32_t node = 0;
  std::uint32_t subject = kNoClass;  // index of Names::classes()

  std::uint64_t key() const { return (std::uint64_t{node} << 32) | subject; }
  static Spot of(std::uint64_t key) {
    return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
  }
};

enum class MomentKind : std::uint8_t { call = 1, pause, lock, burst, loss };

// The numbers are the store's. Times of the trace.
struct Happening {
  MomentKind kind;
  Carrier carrier = Carrier::calls;  // whose stacks `spot` is of
  Time at = 0;
  std::uint64_t took = 0;  // nanoseconds
  Spot spot{};
  base::Id thread = 0;
  std::uint64_t block = 0;  // of the stream: the one that told its end
};

struct Window {
  struct Method {
    std::uint64_t total = 0;
    std::uint64_t most = 0;
    base::DurationSketch sketch{};  // without calls that were told as sums
    std::uint64_t longest = 0;      // of these
    Time start = 0;                 // of that one
    std::uint32_t node = 0;
    std::uint32_t thread = 0;  // index
    std::uint64_t block = 0;   // of the stream, that told its end
  };
  static constexpr std::size_t kCarriers = analysis::kCarriers;

  std::array<base::IdMap<Amount>, kCarriers> amounts{};  // by Spot::key()
  base::IdMap<Method> methods{};                         // by index: of calls that ended
  base::IdSet threads{};                                 // that something happened in
  base::DurationSketch pauses{};
  std::vector<Happening> happenings{};
  std::uint64_t cpu_process = 0;
  std::uint64_t cpu_threads = 0;
  std::uint64_t collections = 0;
  std::uint64_t paused = 0;
  std::uint64_t longest_pause = 0;
  std::uint64_t waits = 0;
  std::uint64_t waited = 0;
  std::uint64_t heap_used = 0;
  Time heap_time = base::kNoTime;
  std::uint64_t events = 0;
  std::uint64_t lost = 0;
  Time first_throw = 0;
  Time last_throw = 0;
  std::uint64_t throw_block = 0;  // of the last one
  std::uint64_t throws = 0;

  void add(Carrier carrier, Spot spot, const Amount& amount) {
    amounts[static_cast<std::size_t>(carrier)][spot.key()].merge(amount);
  }
  // Keeps the longest few of each kind.
  void add(const Happening& happening);
  // How much it holds, in figures of some 40 bytes.
  std::size_t size() const;
};

// Wall times that are believed, nanoseconds since 1970.
struct Accepted {
  Time oldest = 0;
  Time newest = INT64_MAX;
};

class Windows {
 public:
  // A file may tell any times: windows that are open at once, which is two days, and in all, which
  // is a year. What would need more is refused.
  static constexpr std::size_t kMostOpen = 20'000;
  static constexpr std::uint64_t kMostOpened = 3'200'000;

  explicit Windows(Accepted accepted) : accepted_(accepted) {}

  // What comes is of that block of the stream.
  void begin_block(std::uint64_t block) { block_ = block; }
  std::uint64_t block() const { return block_; }
  // The wall clock said `wall` at `at`. Until then nothing is accepted.
  void set_clock(Time wall, Time at);
  bool has_clock() const { return first_ < last_; }
  // The wall time at 0 of the trace's clock. REQUIRES: has_clock().
  Time zero() const { return static_cast<Time>(offset_); }
  // The moment of the trace's clock at that wall time.
  Time time_at(Time wall) const {
    return static_cast<Time>(static_cast<std::uint64_t>(wall) - offset_);
  }
  // What is accepted from now on.
  void accept(Accepted accepted);
  // The wall time. REQUIRES: `time` is accepted.
  Time wall(Time time) const {
    return static_cast<Time>(static_cast<std::uint64_t>(time) + offset_);
  }
  // Null: not accepted. Valid until it is taken.
  Window* at(Time time) {
    if (time < begin_ || time >= end_) [[unlikely]]
      if (!turn_to(time)) return nullptr;
    return current_;
  }
  // Whether it is in the window that was asked for last.
  bool is_current(Time time) const { return time >= begin_ && time < end_; }
  // The same for events: what is refused is counted.
  Window* of_event(Time time) {
    Window* const window = at(time);
    refused_ += window == nullptr;
    return window;
  }
  // The window that has both; null where none has.
  Window* of_both(Time first, Time last) {
    Window* const window = at(first);
    return window != nullptr && is_current(last) ? window : nullptr;
  }
  // Calls function(window, nanoseconds) for each window that has a part of it.
  template <class Function>
  void split(Time from, Time to, const Function& function);

  using Open = std::map<std::int64_t, Window>;  // by wall time / kWindow
  const Open& open() const { return open_; }
  // The oldest one, which is no longer open then. REQUIRES: there is one.
  std::pair<std::int64_t, Window> take();
  // Opens the window of that number, empty, whatever is accepted.
  void open(std::int64_t number) { open_.try_emplace(number); }

  std::uint64_t refused() const { return refused_; }   // events
  std::uint64_t refused_time() const { return cut_; }  // nanoseconds of calls
  // The end of a window on the trace's clock.
  Time end_of(std::int64_t number) const {
    return static_cast<Time>(static_cast<std::uint64_t>((number + 1) * kWindow) - offset_);
  }

 private:
  bool turn_to(Time time);

  Accepted accepted_;
  std::uint64_t offset_ = 0;  // modulo 2^64
  Time first_ = 0;            // accepted, on the trace's clock
  Time last_ = 0;             // exclusive
  Open open_;
  std::uint64_t opened_ = 0;
  Window* current_ = nullptr;
  Time begin_ = 0;  // of current_
  Time end_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t block_ = 0;
};

template <class Function>
void Windows::split(Time from, Time to, const Function& function) {
  if (to <= from) return;
  if (from >= begin_ && to < end_) [[likely]] {
    function(*current_, base::elapsed(from, to));
    return;
  }
  const std::uint64_t whole = base::elapsed(from, to);
  std::uint64_t told = 0;
  for (Time at = std::max(from, first_); at < std::min(to, last_);) {
    Window* const window = this->at(at);
    if (window == nullptr) break;
    const Time next = std::min({to, last_, end_});
    function(*window, base::elapsed(at, next));
    told += base::elapsed(at, next);
    at = next;
  }
  cut_ += whole - told;
}

}  // namespace polytrace::collector
