// SPDX-License-Identifier: Apache-2.0
#include "exports/timelines/names.hpp"

#include "base/slot.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::exports {

Allocation allocation_of(const event::Batch& batch, const event::Event& event) {
  if (event.kind == event::Kind::AllocSummary) {
    const auto summary = batch.details_or<event::AllocSummary>(event, {});
    return {summary.count, summary.bytes, base::kNoId, summary.stack};
  }
  const auto alloc = batch.details_or<event::Alloc>(event, {});
  const std::uint64_t weight = std::max<std::uint64_t>(alloc.weight, 1);
  return {weight, weight * alloc.size, alloc.object, alloc.stack};
}

namespace {

void tell_of(const std::vector<std::uint64_t>& uses, const slice::NameTable& names, const char* one,
             const char* many, Account& account) {
  std::uint64_t sum = 0, things = 0;
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == 0 || !names.named(i)) continue;
    sum += uses[i];
    ++things;
  }
  if (things != 0)
    account.notes.push_back(base::count_text(sum, "use", "uses") + " of " +
                            base::count_text(things, one, many) +
                            " without a name: the trace tells it later.");
}

}  // namespace

void MethodTexts::tell(const slice::Names& names, std::uint64_t hidden, Account& account) const {
  tell_of(nameless_, names.methods(), "method", "methods", account);
  std::vector<std::uint64_t> classes;
  for (std::uint32_t i = 0; i < nameless_classes_.size(); ++i)
    base::slot(classes, names.resolve_class(i)) += nameless_classes_[i];
  tell_of(classes, names.classes(), "class", "classes", account);
  account.tell_short_names(names.shortened());
  if (hidden != 0)
    account.notes.push_back(base::count_text(hidden, "call", "calls") +
                            " of runtime helpers hidden (--show-helpers shows them).");
}

}  // namespace polytrace::exports
