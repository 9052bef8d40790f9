// SPDX-License-Identifier: Apache-2.0
// Finalizer rounds and finalized objects.
// Table: finalization.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/spans.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;

// What a thread is in the middle of.
struct Finalizing {
  LoneSpan round;
  LoneSpan object;
};

// Things that start and end.
struct Spans {
  std::uint64_t started = 0;
  std::uint64_t total = 0;
  std::uint64_t longest = 0;

  void take(const SpanEdge& edge, LoneSpan& open, base::Time time) {
    if (edge.begins()) {
      ++started;
      return open.begin(time);
    }
    const base::Time begun = open.end();
    if (begun == base::kNoTime) return;
    const std::uint64_t duration = base::elapsed(begun, time);
    total += duration;
    longest = std::max(longest, duration);
  }
};

class Finalization final : public Analysis {
 public:
  explicit Finalization(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  Selection selection_;
  Spans rounds_;
  Spans objects_;
  std::vector<Finalizing> open_;  // by thread index
};

void Finalization::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const Event& event = slice.batch.events[i];
    if (event.kind != Kind::Finalize || !selects(selection_, slice.batch, event)) continue;
    Finalizing& open = base::slot(open_, slice.threads[event.thread]);
    const auto edge = span_edge(slice.batch, event);
    if (!edge) continue;
    if (edge->kind == SpanKind::finalizer_round) rounds_.take(*edge, open.round, event.time);
    else objects_.take(*edge, open.object, event.time);
  }
}

std::vector<Table> Finalization::tables(const Names&, const TableOptions&) const {
  Table table = make_table("finalization", "finalization", "Finalization",
                           {{"rounds", "Rounds", Unit::count},
                            {"round_total", "Time in rounds", Unit::nanoseconds},
                            {"round_longest", "Longest round", Unit::nanoseconds},
                            {"objects", "Objects", Unit::count},
                            {"object_total", "Time in finalizers", Unit::nanoseconds},
                            {"object_longest", "Longest finalizer", Unit::nanoseconds}});
  if (rounds_.started + objects_.started > 0)
    table.rows.push_back({rounds_.started, rounds_.total, rounds_.longest, objects_.started,
                          objects_.total, objects_.longest});
  return {std::move(table)};
}

std::vector<std::string> Finalization::headlines(const Names&) const {
  if (objects_.started == 0) return {};
  return {fmt::format("{} finalized in {}, the longest finalizer took {}.",
                      base::count_text(objects_.started, "object was", "objects were"),
                      base::count_text(rounds_.started, "round", "rounds"),
                      base::duration_text(objects_.longest))};
}

}  // namespace

std::shared_ptr<Analysis> make_finalization(const Shared& shared) {
  return std::make_shared<Finalization>(shared.selection);
}

}  // namespace polytrace::analysis
