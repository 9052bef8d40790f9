// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/states.hpp"

#include <algorithm>
#include <array>

#include "analysis/states/derive/derivation.hpp"
#include "analysis/states/gather/gatherer.hpp"

namespace polytrace::analysis {
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

std::string_view attribute_unit(const history::Tree& tree, history::Tree::Node node) {
  history::Tree::Node group = node;
  while (group != history::Tree::kTop && tree.parent(group) != history::Tree::kTop)
    group = tree.parent(group);
  const auto* const rule = std::ranges::find_if(kUnitRules, [&](const UnitRule& one) {
    return node != group && one.group == tree.name(group) && one.name == tree.name(node);
  });
  return rule == kUnitRules.end() ? std::string_view() : rule->unit;
}

class States::Impl {
 public:
  explicit Impl(const StatesOptions& options) : gathered(options.sort_bytes), gatherer(gathered) {}

  Gathered gathered;
  Gatherer gatherer;
  base::Notices notices;
};

States::States(const StatesOptions& options) : impl_(std::make_unique<Impl>(options)) {}
States::~States() = default;

bool States::consume(const event::Batch& batch) {
  impl_->gatherer.consume(batch);
  return !impl_->gathered.sorter.error();
}

StatesExtent States::extent() const {
  // Whatever the events are that make states: times are counted from the trace's first event.
  const Gathered& gathered = impl_->gathered;
  const slice::Extent all = slice::extent_of(gathered.slicer.names());
  StatesExtent of{gathered.first, gathered.last, StatesExtent().ticks_per_second,
                  gathered.clock_offset};
  if (all.first == base::kNoTime) return of;
  // Nothing can come before the first nor behind the last tick of a history.
  const history::Tick first = std::max(all.first, INT64_MIN + 1);
  const history::Tick last = std::min(all.last, INT64_MAX - 1);
  const bool is_empty = gathered.sorter.size() == 0;
  of.first = is_empty ? first : std::min(of.first, first);
  of.last = is_empty ? last : std::max(of.last, last);
  return of;
}

history::BuildOptions States::build_options() const {
  const StatesExtent of = extent();
  history::BuildOptions options;
  options.start = of.first;
  options.ticks_per_second = of.ticks_per_second;
  options.clock_offset = of.clock_offset;
  return options;
}

base::result<void> States::build(history::Builder& builder) {
  const StatesExtent of = extent();
  {
    Derivation derivation(impl_->gathered, builder, impl_->notices);
    if (auto derived = derivation.run(of.first); !derived) return derived;
  }
  return builder.close(of.last);
}

const base::Notices& States::notices() const { return impl_->notices; }

}  // namespace polytrace::analysis
