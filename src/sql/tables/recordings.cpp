// SPDX-License-Identifier: Apache-2.0
// When the recorder ran and when it paused, as docs/states.md has it.
#include "sql/tables/tables.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using event::RecordingStage;

struct Phase {
  base::Time start;
  base::Time end;
  std::string_view state;
};

std::string_view state_behind(RecordingStage stage) {
  switch (stage) {
    case RecordingStage::start:
    case RecordingStage::resume: return "running";
    case RecordingStage::pause: return "paused";
    case RecordingStage::end:
    case RecordingStage::shutdown: return "ended";
    default: return {};
  }
}

using ToldStage = std::pair<base::Time, RecordingStage>;

base::result<std::vector<ToldStage>> stages_of(const store::Store& store) {
  std::vector<ToldStage> all;
  KindRows rows(store, Kind::Recording);
  for (std::size_t segment = 0; segment < rows.segments(); ++segment) {
    if (auto opened = rows.open(segment); !opened) return tl::unexpected(opened.error());
    const auto times = rows.numbers(store::kTimeField);
    if (!times) return tl::unexpected(times.error());
    const auto stages = rows.numbers(rows.field("stage"));
    if (!stages) return tl::unexpected(stages.error());
    for (std::size_t i = 0; i < times->size(); ++i)
      all.emplace_back(
          static_cast<base::Time>((*times)[i]),
          stages->empty() ? RecordingStage::start : static_cast<RecordingStage>((*stages)[i]));
  }
  return all;
}

// One behind the other, from the first event to the last.
base::result<std::vector<Phase>> phases_of(const Trace& trace) {
  auto told = stages_of(trace.store());
  if (!told) return tl::unexpected(told.error());
  const bool resumes = !told->empty() && told->front().second == RecordingStage::resume;
  std::vector<Phase> all;
  const auto begin = [&](base::Time time, std::string_view state) {
    if (state.empty() || (!all.empty() && all.back().state == state)) return;
    if (!all.empty()) all.back().end = time;
    all.push_back({time, trace.end(), state});
  };
  begin(trace.start(), resumes ? "paused" : "running");
  std::ranges::stable_sort(*told, {}, &ToldStage::first);
  for (const auto& [time, stage] : *told)
    begin(std::clamp(time, trace.start(), trace.end()), state_behind(stage));
  std::erase_if(
      all, [](const Phase& phase) { return phase.start == phase.end || phase.state == "ended"; });
  return all;
}

}  // namespace

TablePointer recording_table(const TracePointer& trace) {
  using At = RecordingColumns;
  const auto all = std::make_shared<base::result<std::vector<Phase>>>(phases_of(*trace));
  auto table = std::make_unique<ListedTable>(
      TableId::Recording, At::ts,
      [all]() -> base::result<std::uint64_t> {
        if (!*all) return tl::unexpected(all->error());
        return (*all)->size();
      },
      [all](std::uint64_t row, int column) {
        const Phase& phase = (**all)[row];
        switch (column) {
          case At::id: return Value::of(row);
          case At::ts: return Value::of(std::int64_t{phase.start});
          case At::dur: return Value::of(base::elapsed(phase.start, phase.end));
          default: return Value::name(phase.state);
        }
      });
  table->set_interval({.ts = At::ts, .dur = At::dur, .meets = At::meets});
  return table;
}

}  // namespace polytrace::sql
