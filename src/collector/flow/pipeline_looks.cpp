// SPDX-License-Identifier: Apache-2.0
// What the pipeline does now and then: who says nothing, who is gone, who holds too much.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>

#include "agent/control/protocol/endpoint.hpp"
#include "base/text/figure_text.hpp"
#include "base/wall_clock.hpp"
#include "collector/flow/pipeline.hpp"

namespace polytrace::collector {
namespace {

constexpr base::Time kSilence = 30 * kSecond;
constexpr base::Time kPutAway = 40 * kSecond;
constexpr base::Time kLongSilence = 600 * kSecond;
constexpr unsigned kLooksToQuiet = 10;
constexpr unsigned kLooksToForget = 600;

bool has_ended(const Owner& owner) {
  return agent::control::start_time_of(owner.process) != owner.started;
}

}  // namespace

void Pipeline::look_around() {
  const base::Time now = base::wall_now();
  base::Time oldest = now;
  base::Time skew = 0;
  ++looks_;
  const std::vector<StreamPtr> streams = all();
  for (const StreamPtr& stream : streams) {
    if (const base::Time since = stream->open_since; since != base::kNoTime)
      oldest = std::min(oldest, since + kWindow);
    skew = std::max(skew, std::abs(stream->skew.load()));
    look_at(stream, now);
  }
  figures_.window_lag_seconds = static_cast<std::uint64_t>((now - oldest) / kSecond);
  figures_.clock_skew_seconds = static_cast<std::uint64_t>(skew / kSecond);
  figures_.names_refused_total = novelty_.refused(Novelty::Kind::name);
  figures_.stacks_refused_total = novelty_.refused(Novelty::Kind::stack);
  look_at_memory(streams);
  pins_->look_around(now);
  count_pins();
  if (looks_ % kLooksToForget == 0) forget_dropped();
}

// Where streams hold more than they may, who holds the most is sent away, and another one the next
// time. Memory of those that were sent away is there a moment later: nobody else goes for it.
void Pipeline::look_at_memory(const std::vector<StreamPtr>& streams) {
  std::uint64_t all = 0;
  std::uint64_t leaving = 0;
  std::uint64_t away = 0;
  const StreamPtr* largest = nullptr;
  for (const StreamPtr& stream : streams) {
    const std::uint64_t memory = stream->memory;
    all += memory;
    away += memory == 0;
    if (stream->refused) leaving += memory;
    else if (largest == nullptr || memory > (*largest)->memory) largest = &stream;
  }
  figures_.stream_memory_bytes = all;
  // What was freed lies between what was not: without this it stays ours.
  if (away > figures_.streams_put_away.exchange(away)) malloc_trim(0);
  if (all - leaving > config_.streams_memory && largest != nullptr)
    refuse(*largest, Refused::memory,
           fmt::format("it holds about {}, all together {}", base::bytes_text((*largest)->memory),
                       base::bytes_text(all)));
}

void Pipeline::look_at(const StreamPtr& stream, base::Time now) {
  const bool is_gone = stream->connection == 0 && stream->waiting == 0;
  const base::Time silent = now - stream->heard;
  if (is_gone && (stream->refused || stream->finished || silent > kLongSilence)) {
    const std::scoped_lock lock(mutex_);
    streams_.erase(stream->id);
    return;
  }
  if (silent < kSilence || stream->waiting != 0 || looks_ % kLooksToQuiet != 0) return;
  if (stream->connection == 0 && has_ended(stream->owner))
    workers_.add(stream->lane, [this, stream] { finish(stream); });
  else if (stream->memory != 0)
    workers_.add(stream->lane, [this, stream, silent] {
      close_until(stream, base::wall_now() - kSilence + kBehindEvents);
      if (silent >= kPutAway) put_away(*stream);
    });
}

// Of streams that nobody can ask for any more.
void Pipeline::forget_dropped() {
  for (const std::uint64_t id : checkpoint_.streams()) {
    if (spool_.held(id) || find(id) || pins_->holds(id)) continue;
    checkpoint_.forget(id);
    book_.forget(id);
  }
}

}  // namespace polytrace::collector
