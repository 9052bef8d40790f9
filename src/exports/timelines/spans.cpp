// SPDX-License-Identifier: Apache-2.0
#include "exports/timelines/spans.hpp"

#include <fmt/format.h>

namespace polytrace::exports {
namespace {

using event::Kind;
using Way = Edge::Way;

constexpr std::array<LaneInfo, kLanes> kInfos{{{"Collections", "gc"},
                                               {"World stopped", "gc"},
                                               {"Compiling", "jit"},
                                               {"Loading classes", "class"},
                                               {"Waiting for locks", "lock"},
                                               {"Waiting", "wait"},
                                               {"Finalizing", "gc"}}};

std::optional<Edge> gc(const event::Gc& details) {
  const base::Id generation =
      details.generation == event::kAbsent ? base::kNoId : details.generation;
  switch (details.phase) {
    case event::GcPhase::start: return Edge{Lane::collections, Way::begin, {generation}};
    case event::GcPhase::end: return Edge{Lane::collections, Way::end, {generation}};
    case event::GcPhase::world_stopped: return Edge{Lane::pauses, Way::begin, {0}};
    case event::GcPhase::world_started: return Edge{Lane::pauses, Way::end, {0}};
    default: return std::nullopt;
  }
}

std::optional<Edge> jit(event::Id method, const event::Jit& details) {
  Edge edge{Lane::compiling, Way::begin, {method == base::kNoId ? details.runtime_id : method}};
  edge.span.is_runtime_id = method == base::kNoId;
  switch (details.stage) {
    case event::JitStage::start: return edge;
    case event::JitStage::cached_start: edge.span.is_cached = true; return edge;
    case event::JitStage::end:
    case event::JitStage::cached_end: edge.way = Way::end; return edge;
    case event::JitStage::failed: edge.way = Way::failed; return edge;
    case event::JitStage::freed: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Edge> load(event::Id type, event::LoadStage stage) {
  switch (stage) {
    case event::LoadStage::start: return Edge{Lane::loading, Way::begin, {type}};
    case event::LoadStage::end: return Edge{Lane::loading, Way::end, {type}};
    case event::LoadStage::failed: return Edge{Lane::loading, Way::failed, {type}};
    default: return std::nullopt;
  }
}

Edge monitor(event::Id object, const event::Monitor& details) {
  Edge edge{Lane::locks, Way::begin, {object}};
  edge.span.class_id = details.class_id;
  edge.span.owner = details.owner;
  if (details.stage == event::MonitorStage::acquired) edge.way = Way::end;
  if (details.stage == event::MonitorStage::failed) edge.way = Way::failed;
  return edge;
}

Edge finalize(event::Id object, event::FinalizeStage stage) {
  constexpr base::Id kRound = base::kNoId;
  switch (stage) {
    case event::FinalizeStage::round_start: return {Lane::finalizers, Way::begin, {kRound}};
    case event::FinalizeStage::round_end: return {Lane::finalizers, Way::end, {kRound}};
    case event::FinalizeStage::object_start: return {Lane::finalizers, Way::begin, {object}};
    case event::FinalizeStage::object_end: return {Lane::finalizers, Way::end, {object}};
  }
  return {};
}

std::optional<Edge> edge_without_place(const event::Batch& batch, const event::Event& event) {
  switch (event.kind) {
    case Kind::Gc: return gc(batch.details_or<event::Gc>(event, {}));
    case Kind::Jit: return jit(event.id, batch.details_or<event::Jit>(event, {}));
    case Kind::ClassLoad:
      return load(event.id, batch.details_or<event::ClassLoad>(event, {}).stage);
    case Kind::Monitor: return monitor(event.id, batch.details_or<event::Monitor>(event, {}));
    case Kind::Wait: {
      const auto details = batch.details_or<event::Wait>(event, {});
      Edge edge{Lane::waits, Way::begin, {event.id}};
      if (details.stage == event::WaitStage::end) edge.way = Way::end;
      edge.span.timeout = details.timeout;
      return edge;
    }
    case Kind::Finalize:
      return finalize(event.id, batch.details_or<event::Finalize>(event, {}).stage);
    default: return std::nullopt;
  }
}

}  // namespace

const LaneInfo& describe(Lane lane) { return kInfos[static_cast<std::size_t>(lane)]; }

std::optional<Edge> edge_of(const event::Batch& batch, const event::Event& event) {
  auto edge = edge_without_place(batch, event);
  if (!edge) return edge;
  edge->span.start = event.time;
  return edge;
}

std::string span_track_title(Lane lane, const Span& span, const slice::Names& names) {
  std::string title(describe(lane).title);
  if (lane == Lane::collections) title += " of " + span_name(lane, span, names);
  return title;
}

std::string span_name(Lane lane, const Span& span, const slice::Names& names) {
  switch (lane) {
    case Lane::collections:
      return span.subject == base::kNoId ? "collection"
                                         : fmt::format("generation {}", span.subject);
    case Lane::pauses: return "world stopped";
    case Lane::compiling:
      return (span.is_runtime_id ? fmt::format("runtime method {:#x}", span.subject)
                                 : names.method_name(names.methods().index(span.subject))) +
             (span.is_cached ? " (looking for compiled code)" : "");
    case Lane::loading: return names.class_name(names.class_index(span.subject));
    case Lane::locks:
    case Lane::waits:
      if (span.class_id != base::kNoId)
        return fmt::format("{} {:#x}", names.class_name(names.class_index(span.class_id)),
                           span.subject);
      return fmt::format("object {:#x}", span.subject);
    case Lane::finalizers:
      return span.subject == base::kNoId ? "finalizers" : fmt::format("object {:#x}", span.subject);
  }
  return {};
}

}  // namespace polytrace::exports
