// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/units.hpp"

#include <algorithm>
#include <array>

namespace polytrace::analysis::states {
namespace {

// Below which group of the tree an attribute of this name has which unit.
struct UnitRule {
  std::string_view group;
  std::string_view name;
  std::string_view unit;
};
constexpr std::array<UnitRule, 7> kUnitRules{{{"Lost", "Bytes", "B"},
                                              {"Process", "CPU", "ns"},
                                              {"Threads", "CPU", "ns"},
                                              {"Threads", "Allocated", "B"},
                                              {"Heap", "Total", "B"},
                                              {"Heap", "Used", "B"},
                                              {"Objects", "Bytes", "B"}}};

}  // namespace

std::string_view unit_of(const history::Tree& tree, history::Tree::Node node) {
  history::Tree::Node group = node;
  while (group != history::Tree::kTop && tree.parent(group) != history::Tree::kTop)
    group = tree.parent(group);
  const auto* const rule = std::ranges::find_if(kUnitRules, [&](const UnitRule& one) {
    return node != group && one.group == tree.name(group) && one.name == tree.name(node);
  });
  return rule == kUnitRules.end() ? std::string_view() : rule->unit;
}

}  // namespace polytrace::analysis::states
