// SPDX-License-Identifier: Apache-2.0
#include "exports/timelines/spans.hpp"

#include <fmt/format.h>

namespace polytrace::exports {
namespace {

using event::Kind;

constexpr std::array<LaneInfo, kLanes> kInfos{{{"Collections", "gc"},
                                               {"World stopped", "gc"},
                                               {"Compiling", "jit"},
                                               {"Loading classes", "class"},
                                               {"Waiting for locks", "lock"},
                                               {"Waiting", "wait"},
                                               {"Finalizing", "gc"}}};

Lane lane_of(slice::SpanKind kind) {
  using slice::SpanKind;
  switch (kind) {
    case SpanKind::collection: return Lane::collections;
    case SpanKind::stop: return Lane::pauses;
    case SpanKind::compilation:
    case SpanKind::code_search: return Lane::compiling;
    case SpanKind::class_load: return Lane::loading;
    case SpanKind::lock: return Lane::locks;
    case SpanKind::wait: return Lane::waits;
    case SpanKind::finalizer_round:
    case SpanKind::finalizer: return Lane::finalizers;
  }
  return {};
}

}  // namespace

const LaneInfo& describe(Lane lane) { return kInfos[static_cast<std::size_t>(lane)]; }

std::optional<Edge> edge_of(const event::Batch& batch, const event::Event& event) {
  const auto told = slice::span_edge(batch, event);
  if (!told) return {};
  Edge edge{lane_of(told->kind), told->way, {told->subject, event.time}};
  Span& span = edge.span;
  if (event.kind == Kind::Jit) {
    span.is_cached = told->kind == slice::SpanKind::code_search;
    span.is_runtime_id = span.subject == base::kNoId;
    if (span.is_runtime_id) span.subject = batch.details_or<event::Jit>(event, {}).runtime_id;
  } else if (event.kind == Kind::Monitor) {
    const auto details = batch.details_or<event::Monitor>(event, {});
    span.class_id = details.class_id;
    span.owner = details.owner;
  } else if (event.kind == Kind::Wait) {
    span.timeout = batch.details_or<event::Wait>(event, {}).timeout;
  }
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
