// SPDX-License-Identifier: Apache-2.0
#include "service/ask/calls_from_index.hpp"

#include <algorithm>
#include <array>

#include "analysis/calls/calltree.hpp"

namespace polytrace::service {
base::result<bool> sums_have_all_calls(const store::Store& store) {
  const store::Facts facts = store.facts();
  if (facts.state != store::IndexState::complete || (facts.features & store::kLateTimes) != 0)
    return false;
  if (store.has_rows(event::Kind::SummaryBegin) || store.has_rows(event::Kind::SummaryEnd))
    return false;
  const auto is_cut = [](const store::ThreadWhole& thread) { return thread.dropped != 0; };
  if (store.thread_wholes().size() < facts.totals.threads ||
      std::ranges::any_of(store.thread_wholes(), is_cut))
    return false;
  constexpr auto kChange = static_cast<std::uint64_t>(event::SampleMode::change);
  const auto changes = store.has_rows(event::Kind::Sample, "mode", kChange);
  if (!changes) return changes;
  return !*changes;
}

base::result<bool> has_cpu_of_threads(const store::Store& store) {
  constexpr auto kOfThread = static_cast<std::uint64_t>(event::CpuScope::thread);
  return store.has_rows(event::Kind::Cpu, "scope", kOfThread);
}

namespace {

using analysis::CallFigures;
using store::EntitySort;

constexpr std::array<std::string_view, 4> kSections{"calls", "tree", "callers", "sandwich"};

// What a question is about, in terms of the index.
class FiguresAsked {
 public:
  FiguresAsked(const store::Store& store, const CallsQuestion& question)
      : store_(store),
        selection_(question.selection),
        has_methods_(std::ranges::any_of(
            question.sections, [](const auto* section) { return section->key == kSections[0]; })),
        durations_(question.durations) {
    range_ = {.from = selection_.from, .to = selection_.to, .threads = {}, .stop = question.stop};
    const auto threads = static_cast<std::uint32_t>(store.thread_wholes().size());
    for (std::uint32_t i = 0; i < threads; ++i)
      if (selection_.threads.has(store.entities().of(EntitySort::thread, i).id))
        range_.threads.push_back(i);
  }

  base::result<CallFigures> figures() const {
    CallFigures figures;
    figures.paths.resize(1);
    if (range_.threads.empty()) return figures;
    const auto sums = store_.calls(range_);
    if (!sums) return base::Unexpected(sums.error());
    for (const store::TreeNode& node : sums->tree(store_.paths()))
      if (node.own.path != store::kEmptyPath)
        figures.paths.push_back(
            {node.caller, store_.paths().method(node.own.path), node.own.calls, counted(node.own)});
    figures.repairs = repairs();
    const store::LeftOut left_out{.waits = selection_.subtract_waits,
                                  .pauses = selection_.pauses != nullptr};
    if (!has_methods_ || !(durations_ || store_.keeps_durations(range_, left_out))) return figures;
    auto methods = store_.method_durations(range_, left_out);
    if (!methods) return base::Unexpected(methods.error());
    for (store::MethodDurations& method : *methods)
      figures.methods.push_back({method.least, method.most, std::move(method.sketch)});
    return figures;
  }

 private:
  std::uint64_t counted(const store::PathFigures& path) const {
    const bool pauses = selection_.pauses != nullptr;
    std::uint64_t self = path.self;
    if (pauses) self -= path.paused;
    if (selection_.subtract_waits)
      self -= path.blocked + path.waiting + (pauses ? 0 : path.paused_waits);
    return self;
  }
  event::CallAccount repairs() const {
    event::CallAccount all;
    for (const std::uint32_t thread : range_.threads) {
      const store::ThreadWhole& whole = store_.thread_wholes()[thread];
      all.ignored += whole.ignored;
      all.cut += whole.cut;
      all.unended += whole.unended;
    }
    return all;
  }

  const store::Store& store_;
  const slice::Selection& selection_;
  bool has_methods_;
  bool durations_;
  store::Range range_;
};

// Sums do not say how much of them was busy (docs/decisions/0023-busy-is-what-used-cpu.md).
base::result<bool> sums_tell_all(const store::Store& store, const CallsQuestion& question) {
  const auto tells_busy = [](const auto* section) {
    return section->key == kSections[0] || section->key == kSections[1];
  };
  if (std::ranges::any_of(question.sections, tells_busy)) {
    const auto has_figures = has_cpu_of_threads(store);
    if (!has_figures) return has_figures;
    if (*has_figures) return false;
  }
  return sums_have_all_calls(store);
}

}  // namespace

bool is_of_calls(const analysis::Section& section) {
  return std::ranges::find(kSections, section.key) != kSections.end();
}

base::result<std::optional<CallTables>> calls_from_index(const store::Store& store,
                                                         const CallsQuestion& question) {
  const auto is_other = [](const auto* section) { return !is_of_calls(*section); };
  if (question.sections.empty() || std::ranges::any_of(question.sections, is_other))
    return std::nullopt;
  if ((store.facts().features & store::kMergedPaths) != 0) return std::nullopt;
  const auto whole = sums_tell_all(store, question);
  if (!whole) return base::Unexpected(whole.error());
  const auto names = *whole ? names_of(store) : nullptr;
  if (names == nullptr) return std::nullopt;
  auto figures = FiguresAsked(store, question).figures();
  if (!figures) return base::Unexpected(figures.error());
  const auto tree = std::make_shared<analysis::CallTree>(question.selection, std::move(*figures));
  tree->finish(*names);
  const analysis::Shared shared{.selection = question.selection, .tree = tree};
  CallTables answer;
  std::vector<const analysis::Section*> done;
  for (const analysis::Section* section : question.sections) {
    if (std::ranges::find(done, section) != done.end()) continue;
    done.push_back(section);
    const auto analysis = section->make(shared);
    if (analysis != tree) analysis->finish(*names);
    bool is_empty = true;
    for (analysis::Table& table : analysis->tables(*names, question.table)) {
      is_empty = is_empty && table.rows.empty();
      table.section = section->key;
      answer.tables.push_back(std::move(table));
    }
    if (is_empty) answer.empty.push_back({section, store.facts().totals.blocks != 0});
  }
  return answer;
}

}  // namespace polytrace::service
