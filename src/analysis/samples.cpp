// SPDX-License-Identifier: Apache-2.0
#include "analysis/samples.hpp"

#include <fmt/format.h>

#include "analysis/rows.hpp"
#include "analysis/selected.hpp"
#include "analysis/text.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_samples(const Selection& selection) {
  return std::make_unique<Samples>(selection);
}

void Samples::consume(const Slice& slice) {
  const event::Sample none;
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind != event::Kind::Sample) {
      code_.learn(slice.batch, event, slice.names);
    } else if (selection_.has(event.time) &&
               (!selection_.thread || *selection_.thread == event.id)) {
      add(event, slice.batch.details_or(event, none), slice);
    }
  }
}

void Samples::add(const event::Event& event, const event::Sample& sample, const Slice& slice) {
  if (sample.mode == event::SampleMode::change) return;  // no interval passed
  const std::uint64_t weight = std::max<std::uint64_t>(sample.weight, 1);
  ++samples_;
  weight_ += weight;
  const auto stack = slice.batch.list(sample.stack);
  // A frame of 0 is none.
  const bool managed = !stack.empty() && stack.back() != 0;
  if (!managed) no_method_ += weight;
  for (const base::Id frame : stack) {
    if (frame == 0) continue;
    Hits& hits = slot(methods_, slice.names.methods().index(frame));
    if (std::exchange(hits.stamp, samples_) != samples_) hits.inclusive += weight;
  }
  if (managed) methods_[slice.names.methods().index(stack.back())].self += weight;
  if (const auto ips = slice.batch.list(sample.natives); !ips.empty()) ips_[ips.back()] += weight;
  const std::uint32_t thread = slice.names.thread_index(event.id);
  ThreadHits& hits = threads_[{thread, event.id}];
  (managed ? hits.managed : hits.unmanaged) += weight;
}

void Samples::finish(const Names& names) {
  code_.finish();
  for (const auto& [ip, hits] : ips_) {
    const CodeOwner owner = code_.find(ip, names).owner;
    (owner == CodeOwner::method ? split_.managed : split_.unmanaged) += hits;
    if (owner == CodeOwner::unknown) split_.unknown += hits;
  }
}

std::vector<Table> Samples::tables(const Names& names, const TableOptions& options) const {
  return {methods_table(names, options), code_table(names, options), threads_table(names, options)};
}

Table Samples::methods_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("sampled_methods", "samples", "Samples by method",
                           {{"self", "Self", Unit::count},
                            {"self_share", "Self %", Unit::percent},
                            {"inclusive", "Inclusive", Unit::count},
                            {"inclusive_share", "Inclusive %", Unit::percent},
                            {"method", "Method"}});
  std::uint64_t hidden = 0;
  for (std::uint32_t i = 0; i < methods_.size(); ++i) {
    const Hits& hits = methods_[i];
    std::string name = names.method_name(i);
    if (hits.inclusive == 0 || !keeps(selection_, name)) continue;
    if (!selection_.show_helpers && names.is_helper(i)) {
      hidden += hits.self;
      continue;
    }
    table.rows.push_back({hits.self, share(hits.self, weight_), hits.inclusive,
                          share(hits.inclusive, weight_), std::move(name)});
  }
  if (no_method_ != 0 && keeps(selection_, "?")) {
    table.rows.push_back({no_method_, share(no_method_, weight_), no_method_,
                          share(no_method_, weight_), std::string("?")});
    table.notes.push_back("\"?\" are samples without a managed frame.");
  }
  if (hidden != 0) {
    table.notes.push_back(count_text(hidden, "sample", "samples") + " in runtime helpers hidden.");
  }
  sort_and_limit(table, options, "self");
  return table;
}

Table Samples::code_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("sampled_code", "samples", "Samples by instruction pointer",
                           {{"hits", "Samples", Unit::count},
                            {"share", "%", Unit::percent},
                            {"kind", "Code"},
                            {"name", "Name"}});
  std::map<std::pair<CodeOwner, std::string>, std::uint64_t> places;
  for (const auto& [ip, hits] : ips_) {
    CodePlace place = code_.find(ip, names);
    places[{place.owner, std::move(place.name)}] += hits;
  }
  const std::uint64_t all = split_.managed + split_.unmanaged;
  static constexpr const char* kKinds[] = {"unknown", "managed", "native"};
  for (const auto& [place, hits] : places) {
    if (!keeps(selection_, place.second)) continue;
    table.rows.push_back(
        {hits, share(hits, all), kKinds[static_cast<std::size_t>(place.first)], place.second});
  }
  if (all != 0) {
    table.notes.push_back(fmt::format("Managed code {} ({}), other code {} ({}), of it unknown {}.",
                                      split_.managed, share_text(split_.managed, all),
                                      split_.unmanaged, share_text(split_.unmanaged, all),
                                      split_.unknown));
  }
  sort_and_limit(table, options, "hits");
  return table;
}

Table Samples::threads_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("sampled_threads", "samples", "Samples by thread",
                           {{"hits", "Samples", Unit::count},
                            {"share", "%", Unit::percent},
                            {"managed", "With method", Unit::count},
                            {"unmanaged", "Without", Unit::count},
                            {"thread", "Thread"}});
  for (const auto& [who, hits] : threads_) {
    const auto& [thread, id] = who;
    const std::uint64_t sum = hits.managed + hits.unmanaged;
    std::string name = id == base::kNoId ? "not told" : fmt::format("{:#x}", id);
    if (thread != NameTable::kNone) name = names.thread_name(thread);
    table.rows.push_back({sum, share(sum, weight_), hits.managed, hits.unmanaged, std::move(name)});
  }
  sort_and_limit(table, options, "hits");
  return table;
}

std::vector<std::string> Samples::headlines(const Names& names) const {
  if (samples_ == 0) return {};
  std::uint32_t top = NameTable::kNone;
  for (std::uint32_t i = 0; i < methods_.size(); ++i) {
    if (!selection_.show_helpers && names.is_helper(i)) continue;
    if (methods_[i].self > (top == NameTable::kNone ? 0 : methods_[top].self)) top = i;
  }
  std::string line = count_text(samples_, "sample", "samples");
  if (top != NameTable::kNone) {
    line += fmt::format("; {} of them in {}", share_text(methods_[top].self, weight_),
                        names.method_name(top));
  }
  if (no_method_ != 0)
    line += fmt::format("; {} outside managed code", share_text(no_method_, weight_));
  return {line};
}

}  // namespace polytrace::analysis
