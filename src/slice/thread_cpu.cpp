// SPDX-License-Identifier: Apache-2.0
#include "slice/thread_cpu.hpp"

#include <algorithm>
#include <cmath>

#include "base/slot.hpp"
#include "base/types.hpp"

namespace polytrace::slice {

bool ThreadCpu::meets(base::Time from, base::Time to) const {
  return from == to ? from >= from_ && from < to_ : std::max(from, from_) < std::min(to, to_);
}

std::uint64_t ThreadCpu::part(base::Time from, base::Time to, std::uint64_t used) const {
  const base::Time begin = std::max(from, from_);
  const base::Time end = std::min(to, to_);
  if (begin == from && end == to) return used;
  const double share =
      static_cast<double>(base::elapsed(begin, end)) / static_cast<double>(base::elapsed(from, to));
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(used) * share));
}

void ThreadCpu::take(std::uint32_t thread, base::Time time, const event::Cpu& cpu) {
  Thread& one = base::slot(threads_, thread);
  const base::Time before = one.last;
  if (time >= before) {
    one.last = time;
    one.idle = cpu.used == 0 && cpu.bogus == 0;
  }
  if (cpu.bogus != 0 || cpu.used < 0) return;
  base::Time from =
      cpu.span > 0 ? base::time_before(time, static_cast<std::uint64_t>(cpu.span)) : before;
  if (from == base::kNoTime || from > time) from = time;
  if (before != base::kNoTime && before < from) one.known = one.known || meets(before, from);
  if (!meets(from, time)) return;
  one.known = true;
  one.used += part(from, time, static_cast<std::uint64_t>(cpu.used));
}

std::optional<std::uint64_t> ThreadCpu::used(std::uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  const Thread& one = threads_[thread];
  if (!one.known && !(one.idle && one.last < to_)) return {};
  return one.used;
}

}  // namespace polytrace::slice
