// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/growth.hpp"

#include <algorithm>
#include <map>

#include "analysis/rows.hpp"
#include "analysis/selected.hpp"

namespace polytrace::analysis {

std::vector<NamedFigures> named_figures(const HeapSnapshot& snapshot, const Names& names) {
  std::map<std::string, NamedFigures> by_name;
  for (const ClassFigures& figures : snapshot.classes) {
    std::string name = names.class_name(figures.type);
    NamedFigures& sum = by_name[name];
    sum.name = std::move(name);
    sum.objects += figures.objects;
    sum.bytes += figures.bytes;
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
                            {"before_objects", "Objects before", Unit::count},
                            {"after_objects", "Objects after", Unit::count},
                            {"before_bytes", "Bytes before", Unit::bytes},
                            {"after_bytes", "Bytes after", Unit::bytes}});
  for (const ClassGrowth& one : growth)
    table.rows.push_back({one.name, one.objects(), one.bytes(), one.before.objects,
                          one.after.objects, one.before.bytes, one.after.bytes});
  sort_and_limit(table, options, "bytes_growth");
  return table;
}

}  // namespace polytrace::analysis
