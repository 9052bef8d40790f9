// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/happenings.hpp"

#include <algorithm>

#include "analysis/profile/event_stacks.hpp"
#include "base/slot.hpp"

namespace polytrace::collector {
namespace {

using event::Event;
using event::Kind;
using slice::Slice;

}  // namespace

Spot Happenings::spot(std::uint32_t node, base::Id type, const slice::Names& names) {
  return {node, type == base::kNoId || type == 0 ? Spot::kNoClass : names.class_index(type)};
}

const slice::StackTree& Happenings::tree(Carrier carrier) const {
  switch (carrier) {
    case Carrier::cpu: return cpu_.tree();
    case Carrier::allocations: return allocations_.tree();
    case Carrier::contentions: return locks_.get();
    case Carrier::exceptions: return throws_.get();
    default: return samples_.get();
  }
}

void Happenings::consume(const Slice& slice) {
  count_events(slice);
  tells_cpu_ = tells_cpu_ || analysis::CpuStacks::tells_cpu(slice.batch);
  // Until calls tell any, nobody follows them for it.
  if (tells_cpu_)
    cpu_.consume(slice, {},
                 [&](Time time, std::uint32_t, std::uint32_t stack, std::uint64_t calls,
                     std::uint64_t used) {
                   Window* const window = tells_cpu_ ? windows_.at(time) : nullptr;
                   if (window != nullptr) window->add(Carrier::cpu, {stack}, {calls, used});
                 });
  allocations_.consume(
      slice, {}, [&](const Event& event, std::uint32_t stack, const Amount& amount) {
        if (Window* const window = windows_.at(event.time))
          window->add(Carrier::allocations, spot(stack, event.id, slice.names), amount);
      });
  for (const std::uint32_t i : slice.others) take(slice, i);
}

void Happenings::count_events(const Slice& slice) {
  for (const slice::Run& run : slice.runs) {
    const Happened all = Happened::in(run, slice.batch);
    if (all.events == 0) continue;
    const base::Id thread = slice.batch.thread(slice.batch.events[run.begin]);
    const auto count = [&](Window& window, std::uint64_t events) {
      window.events += events;
      if (thread != base::kNoId) window.threads.insert(thread);
    };
    if (Window* const window = windows_.of_both(all.first, all.last)) {
      count(*window, all.events);
      continue;
    }
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const Event& event = slice.batch.events[i];
      if (!Happened::is_one(event)) continue;
      if (Window* const window = windows_.of_event(event.time)) count(*window, 1);
    }
  }
}

void Happenings::take(const Slice& slice, std::uint32_t index) {
  const event::Batch& batch = slice.batch;
  const Event& event = batch.events[index];
  const base::Id thread = batch.thread(event);
  recording_.follow(batch, event);
  switch (event.kind) {
    case Kind::Sample: return sample(slice, event);
    case Kind::Monitor: return lock(slice, index);
    case Kind::Throw: return thrown(slice, index);
    case Kind::Gc:
      return collect(batch.details_or<event::Gc>(event, {}), event, slice.threads[event.thread],
                     thread);
    case Kind::Cpu: return cpu(batch.details_or<event::Cpu>(event, {}), event.time);
    case Kind::HeapSize: return heap(batch.details_or<event::HeapSize>(event, {}), event.time);
    case Kind::Lost: return lost(batch.details_or<event::Lost>(event, {}), event, thread);
    default: return;
  }
}

void Happenings::sample(const Slice& slice, const Event& event) {
  const auto sample = slice.batch.details_or<event::Sample>(event, {});
  Window* const window = windows_.at(event.time);
  if (window == nullptr || recording_.is_paused() || sample.mode == event::SampleMode::change)
    return;
  window->add(Carrier::samples, {analysis::sampled_stack(slice, sample, samples_.made())},
              {1, std::max<std::uint64_t>(sample.weight, 1)});
}

void Happenings::lock(const Slice& slice, std::uint32_t index) {
  const Event& event = slice.batch.events[index];
  const auto details = slice.batch.details_or<event::Monitor>(event, {});
  Waiting& waiting = base::slot(waiting_, slice.threads[event.thread]);
  Window* const window = windows_.at(event.time);
  if (details.stage == event::MonitorStage::contended) {
    waiting = {event.time, spot(analysis::stack_or_site(slice, index, details.stack, locks_.made()),
                                details.class_id, slice.names)};
    if (window == nullptr) return;
    window->add(Carrier::contentions, waiting.spot, {1, 0});
    ++window->waits;
  } else if (waiting.start != base::kNoTime) {
    const std::uint64_t took = base::elapsed(waiting.start, event.time);
    if (window != nullptr) {
      window->add(Carrier::contentions, waiting.spot, {0, took});
      window->waited += took;
      window->add({MomentKind::lock, Carrier::contentions, waiting.start, took, waiting.spot,
                   slice.batch.thread(event), windows_.block()});
    }
    waiting = {};
  }
}

void Happenings::thrown(const Slice& slice, std::uint32_t index) {
  const Event& event = slice.batch.events[index];
  const auto details = slice.batch.details_or<event::Throw>(event, {});
  const std::uint32_t node = analysis::stack_or_site(slice, index, details.stack, throws_.made());
  Window* const window = windows_.at(event.time);
  if (window == nullptr) return;
  window->add(Carrier::exceptions, spot(node, details.class_id, slice.names), {1, 1});
  window->first_throw =
      window->throws == 0 ? event.time : std::min(window->first_throw, event.time);
  if (window->throws == 0 || event.time >= window->last_throw) {
    window->last_throw = event.time;
    window->throw_block = windows_.block();
  }
  ++window->throws;
}

void Happenings::collect(const event::Gc& gc, const Event& event, std::uint32_t thread,
                         base::Id id) {
  Pausing& pausing = base::slot(pausing_, thread);
  const auto edge = slice::span_edge(gc);
  if (!edge) return;
  if (edge->kind == slice::SpanKind::stop) {
    tells_stops_ = true;
    if (edge->begins()) return pausing.stop.begin(event.time);
    const Time from = pausing.stop.end();
    if (from != base::kNoTime) pause(from, event.time, id);
  } else if (edge->begins()) {
    if (Window* const window = windows_.at(event.time)) ++window->collections;
    if (pausing.depth++ == 0) pausing.collection.begin(event.time);
  } else if (pausing.depth != 0 && --pausing.depth == 0) {
    const Time from = pausing.collection.end();
    if (!tells_stops_) pause(from, event.time, id);
  }
}

void Happenings::pause(Time from, Time to, base::Id thread) {
  Window* const window = windows_.at(to);
  if (window == nullptr) return;
  const std::uint64_t took = base::elapsed(from, to);
  window->paused += took;
  window->longest_pause = std::max(window->longest_pause, took);
  window->pauses.add(took);
  window->add({MomentKind::pause, Carrier::calls, from, took, {}, thread, windows_.block()});
}

void Happenings::cpu(const event::Cpu& cpu, Time time) {
  Window* const window = windows_.at(time);
  if (window == nullptr || cpu.bogus != 0 || cpu.used < 0) return;
  (cpu.scope == event::CpuScope::process ? window->cpu_process : window->cpu_threads) +=
      static_cast<std::uint64_t>(cpu.used);
}

// Of the whole heap, told last.
void Happenings::heap(const event::HeapSize& size, Time time) {
  Window* const window = windows_.at(time);
  if (window == nullptr || !size.generation.empty() || time < window->heap_time) return;
  window->heap_used = size.used != 0 ? size.used : size.total;
  window->heap_time = time;
}

void Happenings::lost(const event::Lost& lost, const Event& event, base::Id thread) {
  Window* const window = windows_.at(event.time);
  if (window == nullptr) return;
  window->lost += lost.records;
  const bool told = lost.from != base::kNoTime && lost.to != base::kNoTime;
  window->add({MomentKind::loss,
               Carrier::calls,
               told ? lost.from : event.time,
               told ? base::elapsed(lost.from, lost.to) : 0,
               {},
               thread,
               windows_.block()});
}

}  // namespace polytrace::collector
