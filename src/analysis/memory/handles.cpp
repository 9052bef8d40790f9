// SPDX-License-Identifier: Apache-2.0
// Handles that keep objects alive: created and destroyed by kind, and who created those that live
// at the end.
// Tables: handles, handle_leaks.
#include <fmt/format.h>

#include <array>
#include <map>

#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/seeded_hash.hpp"
#include "base/text/figure_text.hpp"
#include "slice/stacks.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::HandleKind;
using event::Kind;

constexpr std::array<const char*, 4> kKinds{"weak", "weaktrack", "normal", "pinned"};

struct Tally {
  std::uint64_t created = 0;
  std::uint64_t destroyed = 0;
  std::int64_t most = 0;  // created minus destroyed at its highest, in the order of the trace
  std::int64_t balance() const {
    return static_cast<std::int64_t>(created) - static_cast<std::int64_t>(destroyed);
  }
};

// A handle as the trace left it. Streams of several threads interleave freely, so a handle's end
// may be read before its beginning.
struct HandleState {
  base::Time created = base::kNoTime;    // kNoTime: not living
  base::Time destroyed = base::kNoTime;  // an end that no beginning has met yet
  HandleKind kind = HandleKind::weak;
  std::uint32_t stack = StackTree::kRoot;
};

class Handles final : public Analysis {
 public:
  explicit Handles(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<std::string> limits() const override { return stacks_.limits(); }

 private:
  void created(const Slice& slice, const Event& event, const event::Handle& details);
  void destroyed(const Event& event, const event::Handle& details);
  std::array<std::uint64_t, kKinds.size()> living() const;
  Table kinds() const;
  Table leaks(const Names& names, const TableOptions& options) const;

  Selection selection_;
  std::array<Tally, kKinds.size()> tallies_;
  base::IdMap<HandleState> handles_;  // living, or ended before they began
  StackTree stacks_;
};

void Handles::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const Event& event = slice.batch.events[i];
    if (event.kind != Kind::Handle || !selects(selection_, slice.batch, event)) continue;
    const auto details = slice.batch.details_or<event::Handle>(event, {});
    if (details.stage == event::HandleStage::created) created(slice, event, details);
    else destroyed(event, details);
  }
}

void Handles::created(const Slice& slice, const Event& event, const event::Handle& details) {
  Tally& tally = tallies_[static_cast<std::size_t>(details.type)];
  ++tally.created;
  tally.most = std::max(tally.most, tally.balance());
  HandleState& state = handles_[event.id];
  if (state.destroyed != base::kNoTime && state.destroyed >= event.time) {
    handles_.erase(event.id);
    return;
  }
  state = {event.time, base::kNoTime, details.type,
           stacks_.intern(slice.batch.list(details.stack), slice.names)};
}

void Handles::destroyed(const Event& event, const event::Handle& details) {
  ++tallies_[static_cast<std::size_t>(details.type)].destroyed;
  const auto found = handles_.find(event.id);
  if (found == handles_.end()) handles_[event.id].destroyed = event.time;
  else if (found->second.created != base::kNoTime) handles_.erase(found);
  else found.value().destroyed = std::max(found->second.destroyed, event.time);
}

std::array<std::uint64_t, kKinds.size()> Handles::living() const {
  std::array<std::uint64_t, kKinds.size()> out{};
  for (const auto& [id, state] : handles_)
    if (state.created != base::kNoTime) ++out[static_cast<std::size_t>(state.kind)];
  return out;
}

Table Handles::kinds() const {
  Table table = make_table("handles", "handles", "Handles",
                           {{"kind", "Kind", Unit::none},
                            {"created", "Created", Unit::count},
                            {"destroyed", "Destroyed", Unit::count},
                            {"most", "Most at once", Unit::count},
                            {"living", "Living at the end", Unit::count}});
  const auto alive = living();
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    const Tally& tally = tallies_[kind];
    if (tally.created + tally.destroyed == 0 || !keeps(selection_, kKinds[kind])) continue;
    table.rows.push_back({kKinds[kind], tally.created, tally.destroyed, tally.most, alive[kind]});
  }
  return table;
}

Table Handles::leaks(const Names& names, const TableOptions& options) const {
  Table table = make_table("handle_leaks", "handles", "Handles never destroyed, by creator",
                           {{"site", "Site", Unit::none},
                            {"kind", "Kind", Unit::none},
                            {"count", "Count", Unit::count},
                            {"first", "First created", Unit::time}});
  struct Leak {
    std::uint64_t count = 0;
    base::Time first = base::kNoTime;
  };
  const VisibleStacks stacks(stacks_, names, selection_.show_helpers);
  std::map<std::pair<std::uint32_t, HandleKind>, Leak> by_site;
  for (const auto& [id, state] : handles_) {
    if (state.created == base::kNoTime) continue;
    Leak& leak = by_site[{stacks.site(state.stack), state.kind}];
    leak.first = leak.count++ == 0 ? state.created : std::min(leak.first, state.created);
  }
  for (const auto& [key, leak] : by_site) {
    std::string site = site_name(key.first, names);
    if (keeps(selection_, site))
      table.rows.push_back({std::move(site), kKinds[static_cast<std::size_t>(key.second)],
                            leak.count, time_cell(leak.first)});
  }
  sort_and_limit(table, options, "count");
  return table;
}

std::vector<Table> Handles::tables(const Names& names, const TableOptions& options) const {
  return {kinds(), leaks(names, options)};
}

std::vector<std::string> Handles::headlines(const Names&) const {
  std::uint64_t created = 0;
  std::uint64_t alive = 0;
  for (const Tally& tally : tallies_) created += tally.created;
  for (const std::uint64_t count : living()) alive += count;
  if (created == 0) return {};
  return {fmt::format("{} created, {} never destroyed.",
                      base::count_text(created, "handle was", "handles were"), alive)};
}

}  // namespace

std::shared_ptr<Analysis> make_handles(const Shared& shared) {
  return std::make_shared<Handles>(shared.selection);
}

}  // namespace polytrace::analysis
