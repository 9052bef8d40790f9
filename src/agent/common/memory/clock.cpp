// SPDX-License-Identifier: Apache-2.0
#include "agent/common/memory/clock.hpp"

#include <time.h>

#include <algorithm>

#include "format/native/wire/clock_line.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace polytrace::agent {
namespace {

using base::Time;
using format::native::ClockLine;

constexpr Time kSecond = 1'000'000'000;
constexpr Time kFirstLook = kSecond / 1000;
constexpr Time kFirstRefit = kSecond / 10;
constexpr Time kLastInterval = 10 * kSecond;

Time read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return Time{now.tv_sec} * kSecond + now.tv_nsec;
}

}  // namespace

bool has_invariant_counter() {
#if defined(__x86_64__)
  constexpr unsigned kPowerLeaf = 0x80000007;
  constexpr unsigned kInvariant = 1U << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
#else
  return false;
#endif
}

Time monotonic_now() { return read(CLOCK_MONOTONIC); }
Time wall_now() { return read(CLOCK_REALTIME); }

void Clock::start(ClockChoice choice) {
  const bool counter = choice == ClockChoice::auto_ || choice == ClockChoice::counter;
  if (counter && has_invariant_counter()) kind_ = ClockKind::counter;
  else kind_ = choice == ClockChoice::coarse ? ClockKind::coarse : ClockKind::monotonic;
  first_ = take_pair();
  interval_ = kFirstRefit;
  due_ = first_.time + interval_;
  ClockLine line;
  line.tick0 = first_.tick;
  line.time0 = first_.time;
  if (kind_ == ClockKind::counter) {
    Pair now = take_pair();
    while (now.time - first_.time < kFirstLook) now = take_pair();
    line.rate = format::native::rate_of(static_cast<std::uint64_t>(now.time - first_.time),
                                        now.tick - first_.tick);
  }
  set_line(line);
}

std::uint64_t Clock::now() const {
  switch (kind_) {
    case ClockKind::counter: return read_counter();
    case ClockKind::coarse: return static_cast<std::uint64_t>(read(CLOCK_MONOTONIC_COARSE));
    case ClockKind::monotonic: break;
  }
  return static_cast<std::uint64_t>(monotonic_now());
}

Time Clock::time_of(std::uint64_t tick) const {
  ClockLine line;
  std::uint32_t before = 0;
  do {
    before = sequence_.load(std::memory_order_acquire);
    line.tick0 = tick0_.load(std::memory_order_acquire);
    line.time0 = time0_.load(std::memory_order_acquire);
    line.rate = rate_.load(std::memory_order_acquire);
  } while ((before & 1) != 0 || sequence_.load(std::memory_order_relaxed) != before);
  return format::native::time_at(line, tick);
}

bool Clock::refit() {
  if (kind_ != ClockKind::counter || monotonic_now() < due_) return false;
  const Pair now = take_pair();
  if (now.time - first_.time <= 0 || now.tick <= first_.tick) return false;
  interval_ = std::min(interval_ * 10, kLastInterval);
  const std::uint64_t rate = format::native::rate_of(
      static_cast<std::uint64_t>(now.time - first_.time), now.tick - first_.tick);
  ClockLine line;
  line.tick0 = now.tick;
  line.time0 = format::native::time_at(line_, now.tick);
  // The same ticks tell a little more or less than the interval, so that the lines come together.
  const Time error = std::clamp(now.time - line.time0, -interval_ / 2, interval_ / 2);
  const auto ticks = static_cast<std::uint64_t>(static_cast<double>(interval_) /
                                                static_cast<double>(rate) * 4294967296.0);
  line.rate = format::native::rate_of(static_cast<std::uint64_t>(interval_ + error), ticks);
  due_ = now.time + interval_;
  set_line(line);
  return true;
}

std::uint64_t Clock::ticks_per_second() const {
  const auto rate = static_cast<double>(line_.rate) / 4294967296.0;
  return static_cast<std::uint64_t>(static_cast<double>(kSecond) / rate + 0.5);
}

// The tick between two readings of the other clock that lie closest together.
Clock::Pair Clock::take_pair() const {
  if (kind_ != ClockKind::counter) {
    const std::uint64_t tick = now();
    return {tick, static_cast<Time>(tick)};
  }
  constexpr int kTries = 8;
  Pair best;
  Time best_width = INT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const Time before = monotonic_now();
    const std::uint64_t tick = read_counter();
    const Time after = monotonic_now();
    if (after - before >= best_width) continue;
    best_width = after - before;
    best = {tick, before + (after - before) / 2};
  }
  return best;
}

void Clock::set_line(const ClockLine& line) {
  line_ = line;
  sequence_.fetch_add(1, std::memory_order_acq_rel);
  tick0_.store(line.tick0, std::memory_order_release);
  time0_.store(line.time0, std::memory_order_release);
  rate_.store(line.rate, std::memory_order_release);
  sequence_.fetch_add(1, std::memory_order_release);
}

}  // namespace polytrace::agent
