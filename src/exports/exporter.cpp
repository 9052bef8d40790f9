// SPDX-License-Identifier: Apache-2.0
#include "exports/exporter.hpp"

#include "base/text/utf8.hpp"
#include "exports/timelines/names.hpp"
#include "slice/selection.hpp"

namespace polytrace::exports {

using event::Kind;

namespace {

// Profiles and snapshots take names as time lines do, and no counters.
bool gives_names(Kind kind) { return is_taken_as_name(kind) && kind != Kind::CounterDef; }

}  // namespace

void Pass::leave_out_all_but(std::span<const Kind> kept, Account& account) const {
  for (const Account::Kinds& of_worker : counts)
    for (std::size_t i = 0; i < of_worker.size(); ++i) account.left_out[i] += of_worker[i];
  for (std::size_t i = 0; i < event::kKindCount; ++i)
    if (gives_names(static_cast<Kind>(i))) account.left_out[i] = 0;
  for (const Kind kind : kept) account.left_out[static_cast<std::size_t>(kind)] = 0;
}

Exporter::Exporter(const Request& request, std::string trace) : pass_{request} {
  pass_.origin.trace = base::short_name(std::move(trace), kLongestName);
  slicer_.shorten_names(kLongestName);
}

void Exporter::add(const Target& target, base::Sink& sink, std::string folder) {
  Output output{pass_.results.size(), &sink, std::move(folder)};
  std::visit([&](const auto& kind) { runner_of(kind).add(kind, std::move(output)); }, target.kind);
  pass_.results.push_back({&target});
  if (analysis::needs_sites(pass_.request.weight)) slicer_.follow_calls();
  else if (profiles_.keeps_every_stack()) slicer_.follow_calls(slice::Slicer::Follower::first_walk);
}

void Exporter::survey(const event::Batch& batch, unsigned worker) {
  if (profiles_.is_idle() && snapshots_.is_idle()) return;
  Account::Kinds& counts = pass_.counts[worker];
  for (const event::Event& event : batch.events)
    if (selects(pass_.request.selection, batch, event))
      ++counts[static_cast<std::size_t>(event.kind)];
}

bool Exporter::consume(const event::Batch& batch) {
  snapshots_.consume(batch);
  slicer_.slice(batch, [&](const slice::Slice& slice) {
    if (failure_) return;
    learn(slice);
    profiles_.consume(slice);
    if (auto taken = timelines_.consume(slice); !taken) failure_ = taken.error();
  });
  return !failure_;
}

void Exporter::learn(const slice::Slice& slice) {
  Origin& origin = pass_.origin;
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind == Kind::Process) {
      const auto process = slice.batch.details_or<event::Process>(event, {});
      origin.pid = event.id;
      if (!process.name.empty())
        origin.process = base::short_name(std::string(process.name), kLongestName);
      if (!process.runtime.empty()) origin.runtime = process.runtime;
    } else if (event.kind == Kind::Clock && origin.wall == base::kNoTime) {
      origin.wall = slice.batch.details_or<event::Clock>(event, {}).wall;
      origin.wall_at = event.time;
    }
  }
}

base::result<void> Exporter::finish() {
  if (auto done = timelines_.finish(slicer_.names()); !done) return done;
  if (auto done = snapshots_.finish(); !done) return done;
  return profiles_.finish(slicer_.names());
}

}  // namespace polytrace::exports
