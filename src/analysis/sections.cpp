// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include <algorithm>
#include <array>

#include "analysis/allocations.hpp"
#include "analysis/callers.hpp"
#include "analysis/calls.hpp"
#include "analysis/collections.hpp"
#include "analysis/counters.hpp"
#include "analysis/exceptions.hpp"
#include "analysis/handles.hpp"
#include "analysis/heap.hpp"
#include "analysis/jit.hpp"
#include "analysis/metadata.hpp"
#include "analysis/monitors.hpp"
#include "analysis/roots.hpp"
#include "analysis/samples.hpp"
#include "analysis/sandwich.hpp"
#include "analysis/summary.hpp"
#include "analysis/survival.hpp"
#include "analysis/suspects.hpp"
#include "analysis/threads.hpp"

namespace polytrace::analysis {
namespace {

using Made = std::shared_ptr<Analysis>;

// An analysis that shares nothing.
template <std::unique_ptr<Analysis> (*make)(const Selection&)>
Made alone(const Shared& shared) {
  return make(shared.selection);
}
Made suspects(const Shared&) { return std::make_shared<Suspects>(); }
Made summary(const Shared&) { return std::make_shared<Summary>(); }
Made calls(const Shared& shared) { return std::make_shared<Calls>(shared.selection, shared.tree); }
Made tree(const Shared& shared) { return shared.tree; }
Made callers(const Shared& shared) {
  return std::make_shared<Callers>(shared.selection, shared.tree);
}
Made sandwich(const Shared& shared) {
  return std::make_shared<Sandwich>(shared.selection, shared.tree);
}

constexpr bool kTree = true;
constexpr bool kQuoted = true;

constexpr std::array kSections = {
    Section{"suspects", "Suspects", suspects},
    Section{"summary", "Summary", summary},
    Section{"calls", "Methods", calls, !kTree, kQuoted},
    Section{"tree", "Call tree", tree, kTree, kQuoted},
    Section{"callers", "Callers", callers, kTree},
    Section{"sandwich", "Bottom-up", sandwich, kTree},
    Section{"samples", "Samples", alone<make_samples>, !kTree, kQuoted},
    Section{"allocations", "Allocations", alone<make_allocations>, !kTree, kQuoted},
    Section{"survival", "Survival", alone<make_survival>, !kTree, kQuoted},
    Section{"collections", "Collections", alone<make_collections>, !kTree, kQuoted},
    Section{"heap", "Heap", alone<make_heap>, !kTree, kQuoted},
    Section{"roots", "Roots", alone<make_roots>},
    Section{"handles", "Handles", alone<make_handles>},
    Section{"finalization", "Finalization", alone<make_finalization>},
    Section{"monitors", "Monitors", alone<make_monitors>, !kTree, kQuoted},
    Section{"exceptions", "Exceptions", alone<make_exceptions>, !kTree, kQuoted},
    Section{"threads", "Threads", alone<make_threads>, !kTree, kQuoted},
    Section{"jit", "Compilation", alone<make_jit>, !kTree, kQuoted},
    Section{"counters", "Counters", alone<make_counters>},
    Section{"domains", "Domains, images, assemblies", alone<make_metadata>},
};

}  // namespace

std::span<const Section> sections() { return kSections; }

const Section* find_section(std::string_view key) {
  const auto found = std::ranges::find(kSections, key, &Section::key);
  return found == kSections.end() ? nullptr : &*found;
}

}  // namespace polytrace::analysis
