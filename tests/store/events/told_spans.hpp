// SPDX-License-Identifier: Apache-2.0
// Events that begin and end what lasts a while, and what they say, paired one by one without any of
// what is tested.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "store/ask/events/intervals.hpp"
#include "store/built.hpp"

namespace polytrace::store::spans {

using base::Time;
using event::Batch;
using event::Event;
using event::Kind;
using slice::SpanKind;
using How = Interval::How;

struct Paired {
  Time start, end;
  base::Id thread;
  std::uint32_t depth;
  std::uint64_t row;
  How how;
  auto operator<=>(const Paired&) const = default;
};
inline void PrintTo(const Paired& one, std::ostream* out) {
  *out << one.start << " to " << one.end << " of " << one.thread << ", depth " << one.depth
       << ", row " << one.row << ", how " << static_cast<int>(one.how);
}

// By hand: which kinds of events tell of a span, and which stages begin, end and fail it.
struct Rule {
  SpanKind kind;
  Kind rows;
  int begin, end, failed;
  bool nests;
};
constexpr Rule kRules_[]{
    {SpanKind::lock, Kind::Monitor, 0, 1, 2, false},
    {SpanKind::wait, Kind::Wait, 0, 1, -1, false},
    {SpanKind::compilation, Kind::Jit, 0, 1, 2, true},
    {SpanKind::code_search, Kind::Jit, 3, 4, -1, true},
    {SpanKind::class_load, Kind::ClassLoad, 0, 1, 2, true},
    {SpanKind::finalizer_round, Kind::Finalize, 0, 1, -1, false},
    {SpanKind::finalizer, Kind::Finalize, 2, 3, -1, false},
};

inline int stage_of(const Batch& batch, const Event& event) {
  switch (event.kind) {
    case Kind::Monitor: return int(batch.details_or<event::Monitor>(event, {}).stage);
    case Kind::Wait: return int(batch.details_or<event::Wait>(event, {}).stage);
    case Kind::Jit: return int(batch.details_or<event::Jit>(event, {}).stage);
    case Kind::ClassLoad: return int(batch.details_or<event::ClassLoad>(event, {}).stage);
    case Kind::Finalize: return int(batch.details_or<event::Finalize>(event, {}).stage);
    default: return -1;
  }
}

inline std::vector<Paired> paired(const Batch& batch, const Rule& rule) {
  struct Open {
    base::Id id;
    Time start;
    std::uint64_t row;
  };
  std::map<base::Id, std::vector<Open>> open;
  std::map<base::Id, Time> last;
  std::vector<Paired> all;
  std::uint64_t row = 0;
  const auto add = [&](const Open& span, base::Id thread, std::size_t depth, Time end, How how) {
    all.push_back(
        {span.start, std::max(span.start, end), thread, std::uint32_t(depth), span.row, how});
  };
  for (const Event& event : batch.events) {
    const base::Id thread = batch.thread(event);
    last[thread] = last.contains(thread) ? std::max(last[thread], event.time) : event.time;
    if (event.kind != rule.rows) continue;
    const std::uint64_t number = row++;
    const int stage = stage_of(batch, event);
    auto& spans = open[thread];
    base::Id id = rule.nests ? event.id : 0;
    if (rule.rows == Kind::Jit && id == base::kNoId)
      id = batch.details_or<event::Jit>(event, {}).runtime_id + (base::Id{1} << 40);
    if (stage == rule.begin) {
      if (!rule.nests && !spans.empty()) {
        add(spans.back(), thread, 0, event.time, How::cut);
        spans.clear();
      }
      spans.push_back({id, event.time, number});
    } else if (stage == rule.end || stage == rule.failed) {
      const auto has = [&](const Open& span) { return span.id == id; };
      if (std::ranges::none_of(spans, has)) continue;
      while (!has(spans.back())) {
        add(spans.back(), thread, spans.size() - 1, event.time, How::cut);
        spans.pop_back();
      }
      const Open span = spans.back();
      spans.pop_back();
      add(span, thread, spans.size(), event.time, stage == rule.end ? How::ended : How::failed);
    }
  }
  for (const auto& [thread, spans] : open)
    for (std::size_t depth = 0; depth < spans.size(); ++depth)
      add(spans[depth], thread, depth, last[thread], How::open);
  std::ranges::sort(all);
  return all;
}

// Threads that wait, compile, load and collect, and lose an end now and then.
inline void add_spans(Batch& batch, unsigned seed, int events) {
  std::mt19937_64 random(seed);
  Time time = 1'000'000;
  const auto below = [&](std::uint64_t count) { return random() % count; };
  for (int i = 0; i < events; ++i) {
    time += static_cast<Time>(below(50));
    const auto slot = batch.thread_slot(20 + below(3));
    const base::Id id = 1 + below(4);
    switch (below(9)) {
      case 0:
        batch.add(time, slot, id,
                  event::Monitor{.stage = event::MonitorStage(below(3)), .owner = 5});
        break;
      case 1: batch.add(time, slot, id, event::Wait{.stage = event::WaitStage(below(2))}); break;
      case 2: {
        const bool named = below(4) != 0;
        batch.add(time, slot, named ? id : base::kNoId,
                  event::Jit{.stage = event::JitStage(below(5)), .runtime_id = named ? 0 : id});
        break;
      }
      case 3:
        batch.add(time, slot, id, event::ClassLoad{.stage = event::LoadStage(below(3))});
        break;
      case 4:
        batch.add(time, slot, id, event::Finalize{.stage = event::FinalizeStage(below(4))});
        break;
      case 5: batch.add(time, slot, 0x500, event::Throw{}); break;
      case 6: {
        const auto mode = below(4) == 0 ? event::SampleMode::change : event::SampleMode::cpu;
        const base::Id sampled = below(4) == 0 ? base::kNoId : 19 + below(4);
        batch.add(time, slot, sampled, event::Sample{.mode = mode});
        break;
      }
      case 7:
        if (below(2) == 0) batch.add(time, slot, base::kNoId, event::Note{.text = "note"});
        else if (below(2) == 0) batch.add(time, slot, base::kNoId, event::Lost{.records = 4});
        else batch.add(time, slot, base::kNoId, event::Lost{.from = time - 900, .to = time - 500});
        break;
      default: {
        constexpr event::GcPhase kPhases[]{event::GcPhase::start, event::GcPhase::end,
                                           event::GcPhase::world_stopped,
                                           event::GcPhase::world_started};
        const auto generation = static_cast<std::uint32_t>(below(2));
        batch.add(time, slot, below(3) == 0 ? 1 + below(20) : base::kNoId,
                  event::Gc{.phase = kPhases[below(4)], .generation = generation});
        if (below(3) == 0) batch.add(time, slot, 99, event::Move{.to = 98});
      }
    }
  }
}

}  // namespace polytrace::store::spans
