// SPDX-License-Identifier: Apache-2.0
#include "exports/profiles/markers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polytrace::exports {
namespace {

using event::Event;
using event::Kind;

std::optional<MarkerKind> kind_of(Lane lane) {
  switch (lane) {
    case Lane::collections: return MarkerKind::collection;
    case Lane::pauses: return MarkerKind::pause;
    case Lane::locks: return MarkerKind::lock;
    case Lane::waits: return MarkerKind::wait;
    default: return std::nullopt;
  }
}

}  // namespace

void Markers::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const Event& event = slice.batch.events[i];
    classes_.learn(slice, event);
    const bool selected = selects(selection_, slice.batch, event);
    const auto edge = edge_of(slice.batch, event);
    if (edge && kind_of(edge->lane)) {
      spans_.take(slice, event);
      taken_[static_cast<std::size_t>(event.kind)] += selected;
    } else if (event.kind == Kind::Throw && selected) {
      ++taken_[static_cast<std::size_t>(event.kind)];
      const auto details = slice.batch.details_or<event::Throw>(event, {});
      add({.kind = MarkerKind::exception,
           .thread = slice.threads[event.thread],
           .start = event.time,
           .end = event.time},
          slice.names.class_name(classes_.find(event.id, details.class_id, slice.names)), "");
    }
  }
}

void Markers::close_span(Lane lane, std::uint32_t thread, const Span& span, base::Time end,
                         bool failed, const Names& names) {
  const bool is_lock = lane == Lane::locks || lane == Lane::waits;
  std::string what;
  if (lane == Lane::collections) what = span_name(lane, span, names);
  if (is_lock) {
    const std::uint32_t type = classes_.find(span.subject, span.class_id, names);
    what = fmt::format("{} {:#x}", type == Names::kNone ? "object" : names.class_name(type),
                       span.subject);
  }
  std::string owner;
  if (span.owner != base::kNoId) {
    const std::uint32_t index = names.thread_index(span.owner);
    owner = index == Names::kNone ? fmt::format("{:#x}", span.owner) : names.thread_name(index);
  }
  add({.kind = *kind_of(lane), .failed = failed, .thread = thread, .start = span.start, .end = end},
      what, owner);
}

void Markers::add(Marker marker, std::string_view what, std::string_view owner) {
  if (all_.size() == kMost) {
    ++cut_;
    return;
  }
  marker.what = text(what);
  marker.owner = text(owner);
  all_.push_back(marker);
}

std::uint32_t Markers::text(std::string_view text) {
  if (text.empty()) return 0;
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  texts_.emplace_back(text);
  return known_[texts_.back()] = static_cast<std::uint32_t>(texts_.size() - 1);
}

void Markers::finish(const Names& names) {
  spans_.finish(names);
  for (std::uint32_t i = 0; i < names.threads().size(); ++i)
    threads_.push_back({names.threads()[i].id, names.thread_name(i), names.threads()[i].first});
  std::ranges::stable_sort(all_, {}, &Marker::thread);
}

void Markers::tell(Account& account) const {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    account.left_out[i] -= std::min(account.left_out[i], taken_[i]);
  account.cut("markers", cut_, fmt::format("the limit of {} markers", kMost));
  spans_.tell(account);
}

}  // namespace polytrace::exports
