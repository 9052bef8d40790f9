// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "analysis/heap/questions.hpp"
#include "base/text/figure_text.hpp"
#include "exports/runners.hpp"
#include "exports/snapshots/heap_dump.hpp"

namespace polytrace::exports {
namespace {

using event::Kind;

constexpr std::array kOfSnapshots{Kind::Dump, Kind::DumpObject, Kind::Root, Kind::RootRegion};

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

}  // namespace

void SnapshotRunner::add(const SnapshotTarget& target, Output output) {
  outputs_.push_back({&target, std::move(output)});
  if (study_) return;
  // Readers judge weak references themselves.
  study_ =
      std::make_unique<analysis::HeapStudy>(pass_.request.snapshot, event::RefStrength::phantom);
  study_->shorten_names(kLongestName);
}

base::result<void> SnapshotRunner::finish() {
  if (!study_) return {};
  study_->finish();
  if (auto found = find_snapshot(*study_, pass_.request.snapshot); !found) return found;
  const auto dominators = analysis::Dominators::of(study_->graph());
  const analysis::HeapView view{study_->graph(), dominators, study_->names()};
  for (const Writing& writing : outputs_) {
    Account& account = pass_.results[writing.output.number].account;
    pass_.leave_out_all_but(kOfSnapshots, account);
    tell_snapshot(*study_, pass_.request.selection, account);
    pass_.current = writing.output.number;
    if (auto done = writing.target->write({view, *writing.output.sink}); !done) return done;
  }
  return {};
}

}  // namespace polytrace::exports
