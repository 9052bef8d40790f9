// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "slice/call_site.hpp"

namespace polytrace::analysis {

std::vector<NamedFigures> named_figures(const HeapSnapshot& snapshot, const HeapView& view) {
  const Names& names = view.names;
  std::map<std::string, std::uint32_t> first;  // class of that name
  std::vector<std::uint32_t> groups(names.classes().size());
  for (std::uint32_t type = 0; type < groups.size(); ++type)
    groups[type] = first.try_emplace(names.class_name(type), type).first->second;
  const std::vector<std::uint64_t> retained = retained_by_group(view, groups);
  std::map<std::string, NamedFigures> by_name;
  for (const ClassFigures& figures : snapshot.classes) {
    std::string name = names.class_name(figures.type);
    NamedFigures& sum = by_name[name];
    sum.name = std::move(name);
    sum.objects += figures.objects;
    sum.bytes += figures.bytes;
    sum.retained = retained[groups[figures.type]];
  }
  std::vector<NamedFigures> out;
  for (auto& [name, figures] : by_name) out.push_back(std::move(figures));
  return out;
}

std::vector<ClassGrowth> growth_between(std::span<const NamedFigures> before,
                                        std::span<const NamedFigures> after) {
  std::map<std::string, ClassGrowth> by_name;
  for (const NamedFigures& figures : before) by_name[figures.name].before = figures;
  for (const NamedFigures& figures : after) by_name[figures.name].after = figures;
  std::vector<ClassGrowth> out;
  for (auto& [name, growth] : by_name) {
    growth.name = name;
    out.push_back(std::move(growth));
  }
  std::ranges::stable_sort(out, std::greater<>(), &ClassGrowth::bytes);
  return out;
}

Table growth_table(std::span<const ClassGrowth> growth, const TableOptions& options) {
  Table table = make_table("heap_growth", "heap", "Growth by class",
                           {{"class", "Class", Unit::none},
                            {"objects_growth", "Objects growth", Unit::count},
                            {"bytes_growth", "Bytes growth", Unit::bytes},
                            {"retained_growth", "Retained growth", Unit::bytes},
                            {"before_objects", "Objects before", Unit::count},
                            {"after_objects", "Objects after", Unit::count},
                            {"before_bytes", "Bytes before", Unit::bytes},
                            {"after_bytes", "Bytes after", Unit::bytes},
                            {"before_retained", "Retained before", Unit::bytes},
                            {"after_retained", "Retained after", Unit::bytes}});
  for (const ClassGrowth& one : growth)
    table.rows.push_back({one.name, one.objects(), one.bytes(), one.retained(), one.before.objects,
                          one.after.objects, one.before.bytes, one.after.bytes, one.before.retained,
                          one.after.retained});
  sort_and_limit(table, options, "bytes_growth");
  return table;
}

using event::Kind;

void HeapSites::take(const Slice& slice, std::uint32_t index) {
  const event::Event& event = slice.batch.events[index];
  switch (event.kind) {
    case Kind::Alloc: return made(slice, index);
    case Kind::Free: makers_of_objects_.at(event.id) = Numbers::kNone; return;
    case Kind::Move: return moved(event.id, slice.batch.details_or<event::Move>(event, {}).to);
    default: return;
  }
}

void HeapSites::made(const Slice& slice, std::uint32_t index) {
  const event::Event& event = slice.batch.events[index];
  const auto alloc = slice.batch.details_or<event::Alloc>(event, {});
  ++allocations_;
  if (alloc.object == base::kNoId) return static_cast<void>(++without_id_);
  const std::uint32_t site = site_of(slice, index, alloc.stack);
  // Who had the place before is gone in any case.
  std::uint32_t& maker = makers_of_objects_.at(alloc.object);
  maker =
      site == NameTable::kNone ? Numbers::kNone : maker_of(slice.names.class_index(event.id), site);
  without_site_ += site == NameTable::kNone;
}

void HeapSites::moved(base::Id from, base::Id to) {
  const std::uint32_t maker = std::exchange(makers_of_objects_.at(from), Numbers::kNone);
  makers_of_objects_.at(to) = maker;
}

std::uint32_t HeapSites::maker_of(std::uint32_t type, std::uint32_t site) {
  const std::uint64_t key = std::uint64_t{type} << 32 | site;
  const auto [known, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(makers_.size()));
  if (fresh) makers_.push_back({type, site});
  return known->second;
}

void HeapSites::object(base::Id id, std::uint32_t type, std::uint64_t size) {
  if (size == 0) return;
  const std::uint32_t maker = *makers_of_objects_.find(id);
  Snapshot& snapshot = snapshots_.back();
  // One of another class came to its place, and nothing told it.
  const bool known = maker != Numbers::kNone && makers_[maker].type == type;
  Figures& sum = known ? base::slot(snapshot.by_maker, maker) : snapshot.unknown;
  ++sum.objects;
  sum.bytes += size;
}

void HeapSites::tell_unknown(Table& table, std::size_t to, std::uint64_t known) const {
  const std::uint64_t unknown = snapshots_[to].unknown.objects;
  if (allocations_ == 0)
    table.notes.emplace_back("The trace has no allocations: where objects were made is unknown.");
  else if (without_id_ == allocations_)
    table.notes.emplace_back("Allocations come without the objects they made.");
  else if (without_site_ == allocations_ - without_id_)
    table.notes.emplace_back("Allocations come without the place in the code.");
  else if (known == 0)
    table.notes.emplace_back(
        "No object of either snapshot is one whose allocation was recorded: ids may differ.");
  else if (unknown != 0)
    table.notes.push_back(fmt::format(
        "{} objects of snapshot {} have no site: they were made before the recording began, or "
        "their allocation, its place in the code or a move was not recorded.",
        base::count_text(unknown), to));
}

Table HeapSites::growth(std::size_t from, std::size_t to, const Names& names,
                        const TableOptions& options) const {
  Table table = make_table("heap_growth_sites", "heap",
                           fmt::format("Growth by site from snapshot {} to {}", from, to),
                           {{"site", "Site", Unit::none},
                            {"class", "Class", Unit::none},
                            {"objects_growth", "Objects growth", Unit::count},
                            {"bytes_growth", "Bytes growth", Unit::bytes},
                            {"before_objects", "Objects before", Unit::count},
                            {"after_objects", "Objects after", Unit::count},
                            {"before_bytes", "Bytes before", Unit::bytes},
                            {"after_bytes", "Bytes after", Unit::bytes}});
  // Classes and methods that were met before their definition may turn out to be the same.
  std::map<std::pair<std::string, std::string>, std::pair<Figures, Figures>> sums;
  const auto figures = [](const Snapshot& snapshot, std::uint32_t maker) {
    return maker < snapshot.by_maker.size() ? snapshot.by_maker[maker] : Figures{};
  };
  std::uint64_t known = 0;
  for (std::uint32_t maker = 0; maker < makers_.size(); ++maker) {
    const Figures before = figures(snapshots_[from], maker);
    const Figures after = figures(snapshots_[to], maker);
    if (before.objects + after.objects == 0) continue;
    known += before.objects + after.objects;
    auto& sum =
        sums[{names.method_name(makers_[maker].site), names.class_name(makers_[maker].type)}];
    sum.first.merge(before);
    sum.second.merge(after);
  }
  if (known != 0) sums[{"(unknown)", ""}] = {snapshots_[from].unknown, snapshots_[to].unknown};
  const auto growth = [](std::uint64_t before, std::uint64_t after) {
    return static_cast<std::int64_t>(after - before);
  };
  for (const auto& [name, sum] : sums) {
    const auto& [before, after] = sum;
    if (before.objects + after.objects == 0) continue;
    table.rows.push_back({name.first, name.second, growth(before.objects, after.objects),
                          growth(before.bytes, after.bytes), before.objects, after.objects,
                          before.bytes, after.bytes});
  }
  tell_unknown(table, to, known);
  sort_and_limit(table, options, "bytes_growth");
  return table;
}

}  // namespace polytrace::analysis
