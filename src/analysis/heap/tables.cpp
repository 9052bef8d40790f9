// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"

namespace polytrace::analysis {
namespace {

using Snapshots = std::span<const HeapSnapshot>;

std::int64_t change(std::uint64_t before, std::uint64_t after) {
  return static_cast<std::int64_t>(after - before);
}

// Sorts and cuts the rows of one snapshot on their own and puts them behind the others.
void append(Table& table, Table part, const TableOptions& options) {
  sort_and_limit(part, options, table.key == "heap_references" ? "count" : "bytes");
  std::ranges::move(part.rows, std::back_inserter(table.rows));
  table.rows_left_out += part.rows_left_out;
}

Table part_of(const Table& table) { return make_table(table.key, "", "", table.columns); }

// With a limit only the last one is told of.
std::size_t first_shown(Table& table, Snapshots snapshots, const TableOptions& options) {
  if (options.limit == 0 || snapshots.size() < 2) return 0;
  table.notes.push_back(fmt::format("The last of {} snapshots; without a row limit all are shown.",
                                    snapshots.size()));
  return snapshots.size() - 1;
}

void add_class_rows(Table& part, Snapshots snapshots, std::size_t i, const Names& names,
                    const Selection& selection) {
  Figures classes = class_figures(snapshots[i], names, selection);
  for (auto& [name, amount, type] : classes.all) {
    const auto& [objects, bytes] = amount;
    const ClassFigures* before = i == 0 ? nullptr : find_class(snapshots[i - 1], type);
    const ClassFigures had = before == nullptr ? ClassFigures{} : *before;
    part.rows.push_back({std::uint64_t{i}, std::move(name), objects, bytes, average(bytes, objects),
                         i == 0 ? Cell{} : Cell{change(had.objects, objects)},
                         i == 0 ? Cell{} : Cell{change(had.bytes, bytes)}});
  }
}

// "1,2,3": the bytes of one class in every snapshot.
std::string series(Snapshots snapshots, std::uint32_t type) {
  std::string out;
  for (const HeapSnapshot& snapshot : snapshots) {
    const ClassFigures* figures = find_class(snapshot, type);
    fmt::format_to(std::back_inserter(out), "{}{}", out.empty() ? "" : ",",
                   figures == nullptr ? 0 : figures->bytes);
  }
  return out;
}

}  // namespace

void resolve(HeapSnapshot& snapshot, const Names& names) {
  const auto final = [&](std::uint32_t type) {
    return type == ReferenceFigures::kOutside ? type : names.resolve_class(type);
  };
  auto& classes = snapshot.classes;
  for (ClassFigures& figures : classes) figures.type = final(figures.type);
  std::ranges::sort(classes, {}, &ClassFigures::type);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (kept > 0 && classes[kept - 1].type == classes[i].type) {
      classes[kept - 1].objects += classes[i].objects;
      classes[kept - 1].bytes += classes[i].bytes;
    } else {
      classes[kept++] = classes[i];
    }
  classes.resize(kept);

  auto& pairs = snapshot.pairs;
  for (ReferenceFigures& pair : pairs) pair.from = final(pair.from), pair.to = final(pair.to);
  std::ranges::sort(pairs, {}, [](const auto& pair) { return std::pair(pair.from, pair.to); });
  kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (kept > 0 && pairs[kept - 1].from == pairs[i].from && pairs[kept - 1].to == pairs[i].to)
      pairs[kept - 1].count += pairs[i].count;
    else pairs[kept++] = pairs[i];
  pairs.resize(kept);
}

const ClassFigures* find_class(const HeapSnapshot& snapshot, std::uint32_t type) {
  const auto found = std::ranges::lower_bound(snapshot.classes, type, {}, &ClassFigures::type);
  return found == snapshot.classes.end() || found->type != type ? nullptr : &*found;
}

Figures class_figures(const HeapSnapshot& snapshot, const Names& names,
                      const Selection& selection) {
  Figures figures{Unit::bytes};
  for (const auto& [type, objects, bytes] : snapshot.classes) {
    if (objects == 0) continue;
    std::string name = names.class_name(type);
    if (keeps(selection, name)) figures.all.push_back({std::move(name), {objects, bytes}, type});
  }
  return figures;
}

Table snapshot_table(Snapshots snapshots, const TableOptions& options) {
  Table table = make_table("heap_snapshots", "heap", "Heap snapshots",
                           {{"snapshot", "Snapshot", Unit::none},
                            {"start", "Time", Unit::time},
                            {"objects", "Objects", Unit::count},
                            {"bytes", "Bytes", Unit::bytes},
                            {"classes", "Classes", Unit::count},
                            {"references", "References", Unit::count},
                            {"outside", "To outside", Unit::count},
                            {"roots", "Roots", Unit::count},
                            {"growth", "Growth", Unit::bytes},
                            {"name", "Name", Unit::none}});
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const HeapSnapshot& s = snapshots[i];
    table.rows.push_back({std::uint64_t{i}, s.start, s.objects, s.bytes,
                          std::uint64_t{s.classes.size()}, s.references, s.outside, s.roots,
                          i == 0 ? Cell{} : Cell{change(snapshots[i - 1].bytes, s.bytes)}, s.name});
    if (!s.complete)
      table.notes.push_back(
          fmt::format("Snapshot {} has no recorded end: it may lack objects.", i));
  }
  sort_and_limit(table, options, "");
  return table;
}

Table snapshot_classes(Snapshots snapshots, const Names& names, const Selection& selection,
                       const TableOptions& options) {
  Table table = make_table("heap_classes", "heap", "Heap by class",
                           {{"snapshot", "Snapshot", Unit::none},
                            {"class", "Class", Unit::none},
                            {"objects", "Objects", Unit::count},
                            {"bytes", "Bytes", Unit::bytes},
                            {"average", "Average", Unit::bytes},
                            {"objects_growth", "Objects growth", Unit::count},
                            {"bytes_growth", "Bytes growth", Unit::bytes}});
  for (std::size_t i = first_shown(table, snapshots, options); i < snapshots.size(); ++i) {
    Table part = part_of(table);
    add_class_rows(part, snapshots, i, names, selection);
    append(table, std::move(part), options);
  }
  return table;
}

Table snapshot_references(Snapshots snapshots, const Names& names, const Selection& selection,
                          const TableOptions& options) {
  Table table = make_table("heap_references", "heap", "Who refers to what",
                           {{"snapshot", "Snapshot", Unit::none},
                            {"from", "From class", Unit::none},
                            {"to", "To class", Unit::none},
                            {"count", "References", Unit::count}});
  for (std::size_t i = first_shown(table, snapshots, options); i < snapshots.size(); ++i) {
    Table part = part_of(table);
    for (const auto& [from, to, count] : snapshots[i].pairs) {
      std::string source = names.class_name(from);
      std::string target =
          to == ReferenceFigures::kOutside ? "(not in the snapshot)" : names.class_name(to);
      if (keeps(selection, source) || keeps(selection, target))
        part.rows.push_back({std::uint64_t{i}, std::move(source), std::move(target), count});
    }
    append(table, std::move(part), options);
  }
  return table;
}

Table snapshot_growth(Snapshots snapshots, const Names& names, const Selection& selection,
                      const TableOptions& options) {
  Table table = make_table("heap_growth", "heap", "Growth from the first snapshot to the last",
                           {{"class", "Class", Unit::none},
                            {"objects_growth", "Objects growth", Unit::count},
                            {"bytes_growth", "Bytes growth", Unit::bytes},
                            {"first_bytes", "First bytes", Unit::bytes},
                            {"last_bytes", "Last bytes", Unit::bytes},
                            {"series", "Bytes over time", Unit::none}});
  if (snapshots.size() < 2) return table;
  const auto add_row = [&](std::uint32_t type, const ClassFigures& first,
                           const ClassFigures& last) {
    std::string name = names.class_name(type);
    if (keeps(selection, name))
      table.rows.push_back({std::move(name), change(first.objects, last.objects),
                            change(first.bytes, last.bytes), first.bytes, last.bytes,
                            series(snapshots, type)});
  };
  const HeapSnapshot& first = snapshots.front();
  const HeapSnapshot& last = snapshots.back();
  for (const ClassFigures& figures : last.classes) {
    const ClassFigures* before = find_class(first, figures.type);
    add_row(figures.type, before == nullptr ? ClassFigures{} : *before, figures);
  }
  for (const ClassFigures& figures : first.classes)
    if (find_class(last, figures.type) == nullptr) add_row(figures.type, figures, {});
  sort_and_limit(table, options, "bytes_growth");
  return table;
}

}  // namespace polytrace::analysis
