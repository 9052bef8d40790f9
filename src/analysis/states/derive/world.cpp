// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/world.hpp"

#include <fmt/format.h>

#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

World::World(Gathered& gathered, history::Builder& builder, base::Notices& notices)
    : writer(builder, notices), gathered_(gathered) {
  const Names& names = gathered.slicer.names();
  name_threads();
  methods_.resize(names.methods().size());
}

// A thread that was only mentioned is the first one of its id, or one of its own.
void World::name_threads() {
  base::IdMap<std::uint32_t> firsts;
  base::IdMap<std::uint32_t> counts;
  const auto add = [&](base::Id id, std::uint32_t first_name) {
    const auto index = static_cast<std::uint32_t>(threads_.size());
    firsts.emplace(id, index);
    std::string path = id == base::kNoId ? "-" : hex_text(id);
    if (const std::uint32_t number = ++counts[id]; number > 1) path += fmt::format("#{}", number);
    threads_.push_back({id, std::move(path), first_name});
  };
  const auto& known = gathered_.slicer.names().threads();
  const auto& first_names = gathered_.first_names;
  for (std::size_t i = 0; i < known.size(); ++i)
    add(known[i].id, i < first_names.size() ? first_names[i] : kNothing);
  for (std::uint32_t i = 0; i < gathered_.mentioned.size(); ++i) {
    const base::Id id = gathered_.mentioned.id(i);
    if (!firsts.contains(id)) add(id, kNothing);
    mentioned_.push_back(firsts[id]);
  }
}

std::string_view World::method_name(std::uint32_t method) {
  std::string& name = methods_[method];
  if (name.empty()) name = base::repaired(gathered_.slicer.names().method_name(method));
  return name;
}

std::string World::class_name(std::uint32_t type) const {
  return base::repaired(gathered_.slicer.names().class_name(type));
}

std::string hex_text(base::Id id) { return fmt::format("{:#x}", id); }

}  // namespace polytrace::analysis
