// SPDX-License-Identifier: Apache-2.0
#include "exports/exporter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/figure_text.hpp"
#include "base/text/short_name.hpp"
#include "exports/snapshots/heap_dump.hpp"
#include "exports/timelines/names.hpp"
#include "slice/selection.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;
using event::Kind;

// Profiles and snapshots take names as time lines do, and no counters.
bool gives_names(Kind kind) { return is_taken_as_name(kind) && kind != Kind::CounterDef; }
constexpr std::array kOfSnapshots{Kind::Dump, Kind::DumpObject, Kind::Root, Kind::RootRegion};

void cut_texts(const analysis::Pruned& pruned, std::uint64_t limit, std::uint64_t depth,
               Account& account) {
  const std::string what = "places in the tree of stacks, which count for \"(... more)\"";
  account.cut(what, pruned.cut, fmt::format("--limit {}", limit));
  account.cut(what, pruned.deeper, fmt::format("--depth {}", depth));
}

void tell_snapshot(const analysis::HeapStudy& study, const slice::Selection& selection,
                   Account& account) {
  const analysis::HeapGraph& graph = study.graph();
  account.notes.push_back(
      fmt::format("Snapshot {} of {}: {}, {}, {}.", study.chosen().value_or(0),
                  study.snapshots().size(), base::count_text(graph.objects(), "object", "objects"),
                  base::count_text(graph.reference_count(), "reference", "references"),
                  base::count_text(graph.roots().size(), "root", "roots")));
  const auto note = [&](std::uint64_t count, const char* one, const char* many) {
    if (count != 0) account.notes.push_back(base::count_text(count, one, many) + " left out.");
  };
  account.tell_short_names(study.names().shortened());
  note(study.snapshots().size() - 1, "other snapshot (--snapshot chooses)",
       "other snapshots (--snapshot chooses)");
  note(graph.outside(), "reference to what is not in it", "references to what is not in it");
  note(graph.roots_outside(), "root that is not in it", "roots that are not in it");
  note(graph.left_out(), "object beyond what has a number", "objects beyond what has a number");
  const slice::Selection everything;
  if (selection.from != everything.from || selection.to != everything.to ||
      !selection.threads.is_everyone())
    account.notes.push_back("The snapshot is whole: no time and no thread cuts it.");
}

bool may_be_time(const analysis::Weight* weight) {
  return weight == nullptr || (weight->carrier == analysis::Carrier::calls && !weight->is_count);
}

// Of the profiles of other weights in one file.
constexpr std::uint64_t kShareOfOthers = 4;

// As if helpers were hidden, if they are: their calls are nobody's then.
analysis::Amount total_of(const Profile& profile, bool show_helpers) {
  analysis::Amount total = profile.total();
  if (show_helpers || profile.weight->carrier != analysis::Carrier::calls) return total;
  for (std::uint32_t node = 1; node < profile.nodes.size(); ++node)
    if (profile.frames[profile.nodes[node].frame].is_helper)
      total.count -= std::min(total.count, profile.selfs[node].count);
  return total;
}

}  // namespace

Exporter::Exporter(const Request& request, std::string trace) : request_(request) {
  origin_.trace = base::short_name(std::move(trace), kLongestName);
  slicer_.shorten_names(kLongestName);
}

Exporter::~Exporter() = default;

void Exporter::add(const Target& target, base::Sink& sink, std::string folder) {
  Output output{&target, &sink, nullptr};
  if (target.timeline != nullptr) {
    output.maker = target.timeline(
        {request_, request_.limit.value_or(target.limit), origin_, sink, std::move(folder)});
  } else if (target.snapshot != nullptr) {
    if (!study_) {
      // Readers judge weak references themselves.
      study_ =
          std::make_unique<analysis::HeapStudy>(request_.snapshot, event::RefStrength::phantom);
      study_->shorten_names(kLongestName);
    }
  } else if (switches(target)) {
    slice::Selection selection = request_.selection;
    selection.show_helpers = true;
    every_ = std::make_unique<analysis::ProfileBuilder>(
        selection, analysis::ProfileOptions{request_.weight, true, {}, true});
  } else {
    auto& builder = target.by_thread ? by_thread_ : merged_;
    if (!builder)
      builder = std::make_unique<analysis::ProfileBuilder>(
          request_.selection, analysis::ProfileOptions{request_.weight, target.by_thread});
  }
  if (analysis::needs_sites(request_.weight)) slicer_.follow_calls();
  else if (every_) slicer_.follow_calls(slice::Slicer::Follower::first_walk);
  if (target.markers && !markers_) markers_ = std::make_unique<Markers>(request_.selection);
  // A limit of the user's is one of places in the tree of stacks. What was selected by name or does
  // not count shows in sums only.
  const slice::Selection& selected = request_.selection;
  const bool all_count =
      selected.name.is_any() && !selected.subtract_waits && selected.pauses == nullptr;
  if (target.calls && !calls_ && !request_.limit && all_count && may_be_time(request_.weight))
    calls_ = std::make_unique<CallLog>(request_.selection);
  outputs_.push_back(std::move(output));
  results_.push_back({&target});
}

void Exporter::survey(const event::Batch& batch, unsigned worker) {
  if (!merged_ && !by_thread_ && !every_ && !study_) return;
  Account::Kinds& counts = counts_[worker];
  for (const event::Event& event : batch.events)
    if (selects(request_.selection, batch, event)) ++counts[static_cast<std::size_t>(event.kind)];
}

bool Exporter::consume(const event::Batch& batch) {
  if (study_) study_->consume(batch);
  slicer_.slice(batch, [&](const slice::Slice& slice) {
    if (failure_) return;
    learn(slice);
    if (merged_) merged_->consume(slice);
    if (by_thread_) by_thread_->consume(slice);
    if (every_) every_->consume(slice);
    if (markers_) markers_->consume(slice);
    if (calls_) calls_->consume(slice);
    for (std::size_t i = 0; i < outputs_.size() && !failure_; ++i) {
      if (!outputs_[i].maker) continue;
      failed_ = i;
      if (auto taken = outputs_[i].maker->consume(slice); !taken) failure_ = taken.error();
    }
  });
  return !failure_;
}

void Exporter::learn(const slice::Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind == Kind::Process) {
      const auto process = slice.batch.details_or<event::Process>(event, {});
      origin_.pid = event.id;
      if (!process.name.empty())
        origin_.process = base::short_name(std::string(process.name), kLongestName);
      if (!process.runtime.empty()) origin_.runtime = process.runtime;
    } else if (event.kind == Kind::Clock && origin_.wall == base::kNoTime) {
      origin_.wall = slice.batch.details_or<event::Clock>(event, {}).wall;
      origin_.wall_at = event.time;
    }
  }
}

base::result<void> Exporter::finish() {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].maker) continue;
    failed_ = i;
    if (auto done = outputs_[i].maker->finish(slicer_.names()); !done) return done;
    results_[i].account = outputs_[i].maker->account();
  }
  if (markers_) markers_->finish(slicer_.names());
  if (calls_) calls_->finish(slicer_.names());
  if (auto done = finish_snapshots(); !done) return done;
  if (auto done = finish_switches(); !done) return done;
  if (auto done = finish_profiles(false); !done) return done;
  return finish_profiles(true);
}

base::result<void> Exporter::finish_profiles(bool by_thread) {
  auto& builder = by_thread ? by_thread_ : merged_;
  if (!builder) return {};
  auto profile = builder->finish(slicer_.names());
  builder.reset();
  if (!profile) return base::Unexpected(profile.error());
  if (before_ && !by_thread) profile = analysis::compared(*profile, *before_, exact_names_);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Target& target = *outputs_[i].target;
    if (target.profile == nullptr || target.by_thread != by_thread || switches(target)) continue;
    failed_ = i;
    if (auto done = write_profile(outputs_[i], results_[i], *profile); !done) return done;
  }
  return {};
}

base::result<void> Exporter::finish_switches() {
  if (!every_) return {};
  auto profiles = every_->finish_all(slicer_.names());
  every_.reset();
  if (!profiles) return base::Unexpected(profiles.error());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Target& target = *outputs_[i].target;
    if (!switches(target)) continue;
    std::vector<analysis::Pruned> others;
    for (std::size_t other = 1; other < profiles->size(); ++other) {
      std::uint64_t limit = request_.limit.value_or(target.limit);
      others.push_back(pruned(target, (*profiles)[other],
                              target.most_bytes / kShareOfOthers / (profiles->size() - 1), limit));
    }
    failed_ = i;
    if (auto done = write_profile(outputs_[i], results_[i], profiles->front(), others); !done)
      return done;
  }
  return {};
}

base::result<void> Exporter::finish_snapshots() {
  if (!study_) return {};
  study_->finish();
  if (auto found = find_snapshot(*study_, request_.snapshot); !found) return found;
  const auto dominators = analysis::Dominators::of(study_->graph());
  const analysis::HeapView view{study_->graph(), dominators, study_->names()};
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].target->snapshot == nullptr) continue;
    Account& account = results_[i].account;
    leave_out_all_but(kOfSnapshots, account);
    tell_snapshot(*study_, request_.selection, account);
    failed_ = i;
    if (auto done = outputs_[i].target->snapshot({view, *outputs_[i].sink}); !done) return done;
  }
  return {};
}

void Exporter::leave_out_all_but(std::span<const Kind> kept, Account& account) const {
  for (const Account::Kinds& counts : counts_)
    for (std::size_t i = 0; i < counts.size(); ++i) account.left_out[i] += counts[i];
  for (std::size_t i = 0; i < event::kKindCount; ++i)
    if (gives_names(static_cast<Kind>(i))) account.left_out[i] = 0;
  for (const Kind kind : kept) account.left_out[static_cast<std::size_t>(kind)] = 0;
}

analysis::Pruned Exporter::pruned(const Target& target, const Profile& whole,
                                  std::uint64_t most_bytes, std::uint64_t& limit) const {
  analysis::Pruned pruned = analysis::prune(whole, limit, request_.depth);
  const auto is_too_large = [&] {
    return target.bytes != nullptr && target.bytes(pruned) > most_bytes;
  };
  while (!request_.limit && is_too_large() && limit > 100) {
    limit = limit * 3 / 4;
    pruned = analysis::prune(whole, limit, request_.depth);
  }
  return pruned;
}

base::result<void> Exporter::write_profile(const Output& output, Result& result,
                                           const Profile& whole,
                                           std::span<const analysis::Pruned> others) {
  const Target& target = *output.target;
  std::uint64_t limit = request_.limit.value_or(target.limit);
  const std::uint64_t most =
      others.empty() ? target.most_bytes : target.most_bytes - target.most_bytes / kShareOfOthers;
  const analysis::Pruned pruned = this->pruned(target, whole, most, limit);
  leave_out_all_but(analysis::kinds_of(whole.weight->carrier), result.account);
  for (const analysis::Pruned& other : others)
    for (const Kind kind : analysis::kinds_of(other.profile.weight->carrier))
      result.account.left_out[static_cast<std::size_t>(kind)] = 0;
  cut_texts(pruned, limit, request_.depth, result.account);
  result.account.notes = whole.notes;
  result.account.limits = whole.limits;
  result.account.tell_short_names(slicer_.names().shortened());
  const Markers* const markers = output.target->markers ? markers_.get() : nullptr;
  if (markers != nullptr) markers->tell(result.account);
  const bool in_order = output.target->calls && calls_ && may_be_time(whole.weight);
  const CallLog::Verdict verdict = in_order ? calls_->verdict(request_.depth) : CallLog::Verdict{};
  if (!verdict.why.empty()) result.account.notes.push_back(verdict.why);
  result.weight = whole.weight;
  result.total = total_of(whole, request_.selection.show_helpers);
  result.frames = pruned.profile.frames.size();
  for (std::uint32_t node = 1; node < pruned.profile.nodes.size(); ++node)
    if (pruned.profile.self(node) != 0) ++result.stacks;
  return output.target->profile({pruned, origin_, result.account, *output.sink, markers,
                                 verdict.whole ? calls_.get() : nullptr, others,
                                 request_.selection.show_helpers});
}

}  // namespace polytrace::exports
