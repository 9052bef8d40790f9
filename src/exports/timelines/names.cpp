// SPDX-License-Identifier: Apache-2.0
#include "exports/timelines/names.hpp"

#include <fmt/format.h>

#include "analysis/runtime/counters.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::exports {

std::string remark_of(const event::Batch& batch, const event::Event& event) {
  using event::Kind;
  if (event.kind == Kind::Note) return std::string(batch.details_or<event::Note>(event, {}).text);
  if (event.kind == Kind::Recording)
    return fmt::format("recording: {}",
                       event::name(batch.details_or<event::Recording>(event, {}).stage));
  if (event.kind != Kind::Lost) return {};
  const auto lost = batch.details_or<event::Lost>(event, {});
  return fmt::format("lost: {} records, {} bytes: {}", lost.records, lost.bytes, lost.reason);
}

CounterScale::CounterScale(const event::CounterDef& counter)
    : scale_(counter.type == event::CounterType::interval ? 1e-3
             : counter.unit == event::CounterUnit::time   ? 1e-4
                                                          : 1),
      is_unsigned_(counter.type == event::CounterType::uint32 ||
                   counter.type == event::CounterType::uint64) {}

double CounterScale::value(const event::CounterValue& told) const {
  if (told.type == event::CounterType::real) return told.real * scale_;
  return scale_ * (is_unsigned_ ? static_cast<double>(static_cast<std::uint64_t>(told.number))
                                : static_cast<double>(told.number));
}

std::string counter_name(const event::CounterDef& counter) {
  return analysis::counter_section(counter) + ": " + std::string(counter.name);
}

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
