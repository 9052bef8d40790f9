// SPDX-License-Identifier: Apache-2.0
// What keeps objects alive from outside the heap: reported roots by the registered region they lie
// in, or by the kind that older recorders told.
// Tables: roots, root_regions, root_kinds.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/memory/root_places.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;
using event::RootSource;

// Regions of one source and name.
struct RootGroup {
  RootSource source;
  std::string name;
  std::uint64_t registered = 0;
  std::uint64_t unregistered = 0;
};

class Roots final : public Analysis {
 public:
  explicit Roots(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names&) override { places_.finish(); }
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  void region(const Event& event, const event::RootRegion& details);
  void root(const Event& event, const event::Root& details);
  std::uint32_t group(RootSource source, event::Text name);
  std::vector<std::uint64_t> by_source() const;
  Table sources(const TableOptions& options) const;
  Table regions(const TableOptions& options) const;
  Table kinds(const TableOptions& options) const;

  Selection selection_;
  RootPlaces places_;
  std::vector<RootGroup> groups_;
  std::map<std::pair<RootSource, std::string>, std::uint32_t, std::less<>> group_indexes_;
  std::map<Id, std::uint32_t> registered_;      // start of a region to its group, in file order
  std::map<std::string, std::uint64_t> kinds_;  // roots whose kind was told
  std::uint64_t roots_ = 0;
  std::uint64_t rounds_ = 0;
  bool new_round_ = true;  // the next root begins one
};

void Roots::consume(const Slice& slice) {
  const event::Batch& batch = slice.batch;
  for (const std::uint32_t i : slice.others) {
    const Event& event = batch.events[i];
    switch (event.kind) {
      case Kind::Root:
        if (selects(selection_, batch, event))
          root(event, batch.details_or<event::Root>(event, {}));
        break;
      case Kind::RootRegion: region(event, batch.details_or<event::RootRegion>(event, {})); break;
      case Kind::Dump:
      case Kind::Gc: new_round_ = true; break;
      default: break;
    }
  }
}

// Recorders that told a root's kind instead of its address: the low byte is what holds the root;
// then come three properties.
std::string kind_name(std::uint32_t flags) {
  static constexpr std::array kHolders{"stack", "finalizer", "handle", "other", "misc"};
  const std::uint32_t low = flags & 0xff;
  std::string out = low < kHolders.size() ? kHolders[low] : fmt::format("kind {}", low);
  if ((flags & 0x100) != 0) out += ", pinning";
  if ((flags & 0x200) != 0) out += ", weak";
  if ((flags & 0x400) != 0) out += ", interior";
  return out;
}

void Roots::root(const Event& event, const event::Root& details) {
  rounds_ += new_round_;
  new_round_ = false;
  ++roots_;
  if (!details.type.empty()) ++kinds_[std::string(details.type)];
  else if (details.address == base::kNoId) ++kinds_[kind_name(details.flags)];
  else places_.root(event.time, details.address);
}

std::uint32_t Roots::group(RootSource source, event::Text name) {
  const auto fresh = static_cast<std::uint32_t>(groups_.size());
  const auto [entry, added] = group_indexes_.try_emplace({source, std::string(name)}, fresh);
  if (added) groups_.push_back({source, std::string(name)});
  return entry->second;
}

void Roots::region(const Event& event, const event::RootRegion& details) {
  if (details.stage == event::RegionStage::registered) {
    const std::uint32_t index = group(details.source, details.name);
    ++groups_[index].registered;
    registered_[event.id] = index;
    places_.change(event.time, event.id, index);
    return;
  }
  if (const auto known = registered_.find(event.id); known != registered_.end()) {
    ++groups_[known->second].unregistered;
    registered_.erase(known);
  }
  places_.change(event.time, event.id, RootPlaces::kNone);
}

std::string source_name(RootSource source) {
  std::string text(event::name(source));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::vector<std::uint64_t> Roots::by_source() const {
  std::vector<std::uint64_t> out(event::names(RootSource{}).size());
  for (std::uint32_t i = 0; i < groups_.size(); ++i)
    out[static_cast<std::size_t>(groups_[i].source)] += places_.count(i);
  return out;
}

constexpr const char* kNowhere = "(no registered region)";

Table Roots::sources(const TableOptions& options) const {
  Table table = make_table("roots", "roots", "Roots by source",
                           {{"source", "Source", Unit::none},
                            {"regions", "Regions", Unit::count},
                            {"roots", "Roots", Unit::count},
                            {"share", "Share", Unit::percent}});
  const std::vector<std::uint64_t> counts = by_source();
  std::vector<std::uint64_t> regions(counts.size());
  for (const RootGroup& group : groups_)
    regions[static_cast<std::size_t>(group.source)] += group.registered;
  const auto add = [&](std::string name, std::uint64_t registered, std::uint64_t roots) {
    if (registered + roots > 0 && keeps(selection_, name))
      table.rows.push_back({std::move(name), registered, roots, percent(roots, roots_)});
  };
  for (std::size_t i = 0; i < counts.size(); ++i)
    add(source_name(static_cast<RootSource>(i)), regions[i], counts[i]);
  add(kNowhere, 0, places_.nowhere());
  if (roots_ > 0)
    table.notes.push_back(fmt::format("All together: {} in {}.",
                                      base::count_text(roots_, "root", "roots"),
                                      base::count_text(rounds_, "report", "reports")));
  sort_and_limit(table, options, "roots");
  return table;
}

Table Roots::regions(const TableOptions& options) const {
  Table table = make_table("root_regions", "roots", "Root regions by name",
                           {{"region", "Region", Unit::none},
                            {"source", "Source", Unit::none},
                            {"registered", "Registered", Unit::count},
                            {"unregistered", "Unregistered", Unit::count},
                            {"roots", "Roots", Unit::count}});
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    const RootGroup& group = groups_[i];
    if (keeps(selection_, group.name))
      table.rows.push_back({group.name, source_name(group.source), group.registered,
                            group.unregistered, places_.count(i)});
  }
  sort_and_limit(table, options, "roots");
  return table;
}

Table Roots::kinds(const TableOptions& options) const {
  Table table = make_table("root_kinds", "roots", "Roots by kind",
                           {{"kind", "Kind", Unit::none},
                            {"roots", "Roots", Unit::count},
                            {"share", "Share", Unit::percent}});
  for (const auto& [name, roots] : kinds_)
    if (keeps(selection_, name)) table.rows.push_back({name, roots, percent(roots, roots_)});
  sort_and_limit(table, options, "roots");
  return table;
}

std::vector<Table> Roots::tables(const Names&, const TableOptions& options) const {
  return {sources(options), regions(options), kinds(options)};
}

std::vector<std::string> Roots::headlines(const Names&) const {
  if (roots_ == 0) return {};
  std::string line = fmt::format("{} reported in {}", base::count_text(roots_, "root", "roots"),
                                 base::count_text(rounds_, "report", "reports"));
  const std::vector<std::uint64_t> counts = by_source();
  const auto most = std::ranges::max_element(counts);
  if (*most == 0) return {line + "."};
  return {fmt::format("{}; {} of them are of source {}.", line, share_text(*most, roots_),
                      source_name(static_cast<RootSource>(most - counts.begin())))};
}

}  // namespace

std::shared_ptr<Analysis> make_roots(const Shared& shared) {
  return std::make_shared<Roots>(shared.selection);
}

}  // namespace polytrace::analysis
