// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/growth.hpp"

#include <algorithm>
#include <map>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"

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

}  // namespace polytrace::analysis
