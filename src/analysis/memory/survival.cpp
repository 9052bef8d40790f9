// SPDX-License-Identifier: Apache-2.0
// What became of allocated objects: how many died, at what age, and how many are still there at the
// end, by class and by the place that made them. And where that looks like a leak.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/memory/leak.hpp"
#include "analysis/memory/object_fates.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "slice/call_site.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;

class Survival final : public Analysis {
 public:
  explicit Survival(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<Suspect> suspects(const Names& names) const override;

 private:
  void take(const Slice& slice, std::uint32_t index);
  void dump(const Event& event, event::DumpStage stage);
  ClassFates by_class(const Names& names) const;
  Table classes(const Names& names, const TableOptions& options) const;
  Table sites(const Names& names, const TableOptions& options) const;
  Table ages() const;

  Selection selection_;
  ObjectFates fates_;
  HeapTrend trend_;
  // By class index: objects in the last whole dump, and in the one that is being read.
  std::vector<std::uint64_t> census_;
  std::vector<std::uint64_t> reading_;
  bool dumping_ = false;
  base::Time dumped_ = base::kNoTime;  // when the last whole dump began
  base::Time dump_start_ = base::kNoTime;
};

void Survival::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) take(slice, i);
}

void Survival::take(const Slice& slice, std::uint32_t index) {
  const event::Batch& batch = slice.batch;
  const Event& event = batch.events[index];
  switch (event.kind) {
    case Kind::Alloc: {
      if (!selects(selection_, batch, event)) return;
      const auto alloc = batch.details_or<event::Alloc>(event, {});
      fates_.made(event.time, slice.names.class_index(event.id), site_of(slice, index, alloc.stack),
                  alloc);
      return;
    }
    case Kind::Free: return fates_.freed(event.id, batch.details_or<event::Free>(event, {}));
    case Kind::Move: return fates_.moved(event.id, batch.details_or<event::Move>(event, {}).to);
    case Kind::Gc:
      if (batch.details_or<event::Gc>(event, {}).phase == event::GcPhase::end) fates_.collected();
      return;
    case Kind::HeapSize:
      if (selects(selection_, batch, event))
        trend_.add(event.time, batch.details_or<event::HeapSize>(event, {}));
      return;
    case Kind::Dump: return dump(event, batch.details_or<event::Dump>(event, {}).stage);
    case Kind::DumpObject: {
      static constexpr event::DumpObject kUntold{};
      const auto& object = batch.details_or(event, kUntold);
      if (dumping_ && object.size != 0)
        ++base::slot(reading_, slice.names.class_index(object.class_id));
      return;
    }
    default: return;
  }
}

void Survival::dump(const Event& event, event::DumpStage stage) {
  if (stage == event::DumpStage::start) {
    reading_.clear();
    dump_start_ = event.time;
  } else if (dumping_) {
    census_.swap(reading_);
    dumped_ = dump_start_;
  }
  dumping_ = stage == event::DumpStage::start;
}

void Survival::finish(const Names&) {
  fates_.finish();
  trend_.finish();
}

ClassFates Survival::by_class(const Names& names) const {
  ClassFates classes;
  for (const Fate& fate : fates_.fates()) {
    ClassFate& of = classes[names.resolve_class(fate.type)];
    if (of.most_at_site < fate.made_bytes) {
      of.most_at_site = fate.made_bytes;
      of.site = fate.site;
    }
    of.all.merge(fate);
  }
  std::map<std::uint32_t, std::uint64_t> counted;
  for (std::uint32_t i = 0; i < census_.size(); ++i)
    if (census_[i] != 0) counted[names.resolve_class(i)] += census_[i];
  for (auto& [type, fate] : classes) {
    if (dumped_ != base::kNoTime) fate.in_dump = counted.contains(type) ? counted[type] : 0;
    fate.judge(fates_.told_frees() != 0, dumped_);
  }
  return classes;
}

std::vector<ColumnInfo> fate_columns(std::vector<ColumnInfo> columns) {
  columns.insert(columns.end(), {{"made", "Made", Unit::count},
                                 {"bytes", "Bytes", Unit::bytes},
                                 {"dead", "Died", Unit::count},
                                 {"dead_bytes", "Died bytes", Unit::bytes},
                                 {"dead_share", "Died %", Unit::percent}});
  return columns;
}

std::vector<Cell> fate_row(std::vector<Cell> cells, const Fate& fate) {
  cells.insert(cells.end(), {fate.made, fate.made_bytes, fate.dead, fate.dead_bytes,
                             percent(fate.dead, fate.made - fate.unfollowed)});
  return cells;
}

Table Survival::classes(const Names& names, const TableOptions& options) const {
  auto columns = fate_columns({{"class", "Class"}});
  columns.push_back({"alive", "There at the end", Unit::count});
  columns.push_back({"evidence", "Known by"});
  Table table = make_table("survival", "survival", "Survival by class", columns);
  for (const auto& [type, fate] : by_class(names)) {
    std::string name = names.class_name(type);
    if (!keeps(selection_, name)) continue;
    auto row = fate_row({std::move(name)}, fate.all);
    row.resize(columns.size());
    if (fate.alive) {
      row[columns.size() - 2] = *fate.alive;
      row[columns.size() - 1] = std::string(fate.evidence);
    }
    table.rows.push_back(std::move(row));
  }
  if (fates_.told_frees() == 0 && fates_.known_deaths() != 0)
    table.notes.push_back(
        "The trace does not tell when objects die: those are counted whose address was given to "
        "another object. More may be dead.");
  sort_and_limit(table, options, "bytes");
  return table;
}

Table Survival::sites(const Names& names, const TableOptions& options) const {
  Table table = make_table("survival_sites", "survival", "Survival by site",
                           fate_columns({{"site", "Site"}, {"class", "Class"}}));
  for (const Fate& fate : fates_.fates()) {
    if (fate.site == NameTable::kNone) continue;
    std::string site = names.method_name(fate.site);
    std::string type = names.class_name(fate.type);
    if (keeps(selection_, site) || keeps(selection_, type))
      table.rows.push_back(fate_row({std::move(site), std::move(type)}, fate));
  }
  sort_and_limit(table, options, "bytes");
  return table;
}

Table Survival::ages() const {
  Table table = make_table("death_ages", "survival", "Age at death, in collections",
                           {{"from", "From", Unit::count},
                            {"objects", "Objects", Unit::count},
                            {"share", "Objects %", Unit::percent},
                            {"bytes", "Bytes", Unit::bytes}});
  for (std::size_t i = 0; i < ObjectFates::kAges; ++i) {
    const auto& [objects, bytes] = fates_.deaths()[i];
    if (objects != 0)
      table.rows.push_back({i == 0 ? std::uint64_t{0} : std::uint64_t{1} << (i - 1), objects,
                            share(objects, fates_.known_deaths()), bytes});
  }
  return table;
}

std::vector<Table> Survival::tables(const Names& names, const TableOptions& options) const {
  if (fates_.known_deaths() == 0 && dumped_ == base::kNoTime) return {};
  return {classes(names, options), sites(names, options), ages()};
}

std::vector<std::string> Survival::headlines(const Names&) const {
  if (fates_.known_deaths() == 0) return {};
  std::uint64_t followed = 0;
  for (const Fate& fate : fates_.fates()) followed += fate.made - fate.unfollowed;
  return {fmt::format("{} of {} died before the end, {} of these before a collection saw them",
                      share_text(fates_.known_deaths(), followed),
                      base::count_text(followed, "object", "objects"),
                      share_text(fates_.deaths()[0].objects, fates_.known_deaths()))};
}

std::vector<Suspect> Survival::suspects(const Names& names) const {
  const bool frees_told = fates_.told_frees() != 0;
  return find_leak(by_class(names),
                   frees_told ? std::span(fates_.fates()) : std::span<const Fate>(), trend_, names);
}

}  // namespace

std::shared_ptr<Analysis> make_survival(const Shared& shared) {
  return std::make_shared<Survival>(shared.selection);
}

}  // namespace polytrace::analysis
