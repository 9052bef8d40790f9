// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/sections.hpp"

#include <algorithm>
#include <array>

#include "analysis/calls/callers.hpp"
#include "analysis/calls/calls.hpp"
#include "analysis/calls/sandwich.hpp"
#include "analysis/heap/heap.hpp"
#include "analysis/memory/allocations.hpp"
#include "analysis/memory/collections.hpp"
#include "analysis/memory/handles.hpp"
#include "analysis/memory/roots.hpp"
#include "analysis/memory/survival.hpp"
#include "analysis/report/summary.hpp"
#include "analysis/report/suspects.hpp"
#include "analysis/runtime/counters.hpp"
#include "analysis/runtime/exceptions.hpp"
#include "analysis/runtime/jit.hpp"
#include "analysis/runtime/metadata.hpp"
#include "analysis/samples/cpu_times.hpp"
#include "analysis/samples/left_out.hpp"
#include "analysis/samples/samples.hpp"
#include "analysis/threads/monitors.hpp"
#include "analysis/threads/threads.hpp"

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

Made heap(const Shared& shared) {
  return make_heap(shared.selection,
                   shared.tells_suspects ? HeapSuspects::of_last_snapshot : HeapSuspects::none);
}

constexpr bool kTree = true;
constexpr bool kQuoted = true;
constexpr bool kSites = true;

using event::Kind;
constexpr std::array kOfAny = std::array<Kind, 0>{};
constexpr std::array kOfCalls{Kind::Enter, Kind::Leave, Kind::Unwind, Kind::SummaryBegin};
constexpr std::array kOfCpu{Kind::Enter, Kind::Leave, Kind::Unwind, Kind::Cpu};
constexpr std::array kOfSamples{Kind::Sample};
constexpr std::array kOfAllocations{Kind::Alloc, Kind::AllocSummary};
constexpr std::array kOfFates{Kind::Free, Kind::DumpObject};
constexpr std::array kOfCollections{Kind::Gc, Kind::HeapSize};
constexpr std::array kOfDumps{Kind::DumpObject};
constexpr std::array kOfRoots{Kind::Root, Kind::RootRegion};
constexpr std::array kOfHandles{Kind::Handle};
constexpr std::array kOfFinalizers{Kind::Finalize};
constexpr std::array kOfMonitors{Kind::Monitor};
constexpr std::array kOfThrows{Kind::Throw, Kind::Clause};
constexpr std::array kOfCode{Kind::Jit, Kind::Code};
constexpr std::array kOfCounters{Kind::CounterValue};
constexpr std::array kOfSettings{Kind::Setting, Kind::FilterRule};
constexpr std::array kOfMetadata{Kind::Domain, Kind::Module, Kind::Assembly};

constexpr std::array kSections = {
    Section{"suspects", "Suspects", "", "", suspects, kOfAny},
    Section{"summary", "Summary", "", "", summary, kOfAny},
    Section{"calls", "Methods", "calls", "", calls, kOfCalls, !kTree, kQuoted},
    Section{"tree", "Call tree", "calls", "", tree, kOfCalls, kTree, kQuoted},
    Section{"callers", "Callers", "calls", "", callers, kOfCalls, kTree},
    Section{"sandwich", "Bottom-up", "calls", "", sandwich, kOfCalls, kTree},
    Section{"cpu", "CPU time", "", "", alone<make_cpu_times>, kOfCpu, !kTree, kQuoted},
    Section{"samples", "Samples", "samples", "", alone<make_samples>, kOfSamples, !kTree, kQuoted},
    Section{"allocations", "Allocations", "alloc", "", alone<make_allocations>, kOfAllocations,
            !kTree, kQuoted, kSites},
    Section{"survival", "Survival", "alloc", "heapdump=end", alone<make_survival>, kOfFates, !kTree,
            kQuoted, kSites},
    Section{"collections", "Collections", "gc", "", alone<make_collections>, kOfCollections, !kTree,
            kQuoted, kSites},
    Section{"heap", "Heap", "", "heapdump=end", heap, kOfDumps, !kTree, kQuoted},
    Section{"roots", "Roots", "", "", alone<make_roots>, kOfRoots},
    Section{"handles", "Handles", "", "", alone<make_handles>, kOfHandles},
    Section{"finalization", "Finalization", "", "", alone<make_finalization>, kOfFinalizers},
    Section{"monitors", "Monitors", "monitors", "", alone<make_monitors>, kOfMonitors, !kTree,
            kQuoted, kSites},
    Section{"exceptions", "Exceptions", "exceptions", "", alone<make_exceptions>, kOfThrows, !kTree,
            kQuoted, kSites},
    Section{"threads", "Threads", "", "", alone<make_threads>, kOfAny, !kTree, kQuoted},
    Section{"jit", "Compilation", "jit", "", alone<make_jit>, kOfCode, !kTree, kQuoted},
    Section{"counters", "Counters", "counters", "", alone<make_counters>, kOfCounters},
    Section{"domains", "Domains, images, assemblies", "classes", "", alone<make_metadata>,
            kOfMetadata},
    Section{"left-out", "Left out", "", "", alone<make_left_out>, kOfSettings, !kTree, kQuoted},
};

}  // namespace

std::span<const Section> sections() { return kSections; }

const Section* find_section(std::string_view key) {
  const auto* found = std::ranges::find(kSections, key, &Section::key);
  if (found == kSections.end() && !key.empty())
    found = std::ranges::find(kSections, key, &Section::events);
  return found == kSections.end() ? nullptr : found;
}

}  // namespace polytrace::analysis
