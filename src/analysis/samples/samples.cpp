// SPDX-License-Identifier: Apache-2.0
// Statistical samples: by method (self: it was the innermost managed frame; inclusive: it was on
// the stack), by what lies at the instruction pointer, by IL offset where the trace lets find it,
// and by thread. Samples count by weight.
#include <fmt/format.h>

#include <map>

#include "analysis/samples/code_map.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/seeded_hash.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "slice/stack_changes.hpp"

namespace polytrace::analysis {
namespace {

class Samples final : public Analysis {
 public:
  explicit Samples(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  struct Hits {
    std::uint64_t self = 0;
    std::uint64_t inclusive = 0;
    std::uint64_t stamp = 0;  // the sample that counted it last: once per sample
  };
  struct ThreadHits {
    std::uint64_t managed = 0;
    std::uint64_t unmanaged = 0;
  };
  struct Split {
    std::uint64_t managed = 0;
    std::uint64_t unmanaged = 0;  // with the unknown ones
    std::uint64_t unknown = 0;
  };

  void add(const event::Event& event, const event::Sample& sample, const Slice& slice);
  Table methods_table(const Names& names, const TableOptions& options) const;
  Table code_table(const Names& names, const TableOptions& options) const;
  void add_self(std::span<const base::Id> stack, const Names& names, std::uint64_t weight);
  void add_place(const event::Sample& sample, const Slice& slice, std::uint64_t weight);
  Table places_table(const Names& names, const TableOptions& options) const;
  Table threads_table(const Names& names, const TableOptions& options) const;

  Selection selection_;
  CodeMap code_;
  RecordingPause pause_;
  std::uint64_t paused_ = 0;  // weight of samples that were taken while paused
  std::uint64_t samples_ = 0;
  std::uint64_t weight_ = 0;
  bool at_one_moment_ = true;  // as in a heap dump: they stand for no time
  base::Time last_time_ = base::kNoTime;
  std::uint64_t no_method_ = 0;  // samples without a managed frame
  std::uint64_t in_helpers_ = 0;
  std::vector<Hits> methods_;  // by method
  base::IdMap<std::uint64_t> ips_;
  base::IdMap<std::uint64_t> managed_ips_;  // of innermost frames
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> il_offsets_;  // by method, told
  // By thread index and, where the trace has no such thread, id.
  std::map<std::pair<std::uint32_t, base::Id>, ThreadHits> threads_;
  Split split_;  // by instruction pointer; after finish()
};

namespace {

std::string il_text(std::uint32_t il) {
  switch (il) {
    case IlPlace::kNoMapping: return "not mapped";
    case IlPlace::kPrologue: return "prologue";
    case IlPlace::kEpilogue: return "epilogue";
    default: return fmt::format("{:#06x}", il);
  }
}

}  // namespace

void Samples::consume(const Slice& slice) {
  const event::Sample none;
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    pause_.follow(slice.batch, event);
    if (event.kind != event::Kind::Sample) {
      code_.learn(slice.batch, event, slice.names);
    } else if (selection_.has(event.time) && selection_.threads.has(event.id)) {
      add(event, slice.batch.details_or(event, none), slice);
    }
  }
}

void Samples::add(const event::Event& event, const event::Sample& sample, const Slice& slice) {
  if (sample.mode == event::SampleMode::change) return;  // no interval passed
  const std::uint64_t weight = std::max<std::uint64_t>(sample.weight, 1);
  if (pause_.is_paused()) {
    paused_ += weight;
    return;
  }
  ++samples_;
  weight_ += weight;
  at_one_moment_ &= sample.mode == event::SampleMode::unknown && !sample.natives.present() &&
                    (samples_ == 1 || event.time == last_time_);
  last_time_ = event.time;
  const auto stack = slice.batch.list(sample.stack);
  const bool managed = !stack.empty() && slice.names.is_method(stack.back());
  if (!managed) no_method_ += weight;
  for (const base::Id frame : stack) {
    if (!slice.names.is_method(frame)) continue;
    Hits& hits = base::slot(methods_, slice.names.methods().index(frame));
    if (std::exchange(hits.stamp, samples_) != samples_) hits.inclusive += weight;
  }
  if (managed) add_self(stack, slice.names, weight);
  if (const auto ips = slice.batch.list(sample.natives); !ips.empty()) ips_[ips.back()] += weight;
  if (managed) add_place(sample, slice, weight);
  const std::uint32_t thread = slice.names.thread_index(event.id);
  ThreadHits& hits = threads_[{thread, event.id}];
  (managed ? hits.managed : hits.unmanaged) += weight;
}

// Time in runtime helpers that are not shown is their callers'.
void Samples::add_self(std::span<const base::Id> stack, const Names& names, std::uint64_t weight) {
  for (std::size_t i = stack.size(); i-- > 0;) {
    if (!names.is_method(stack[i])) continue;
    const std::uint32_t method = names.methods().index(stack[i]);
    const bool hidden = !selection_.show_helpers && names.is_helper(method);
    if (!hidden) return void(methods_[method].self += weight);
    if (i + 1 == stack.size()) in_helpers_ += weight;
  }
}

// Of the innermost frame: the IL offset, or the instruction pointer, which code may explain later.
void Samples::add_place(const event::Sample& sample, const Slice& slice, std::uint64_t weight) {
  const auto places = slice.batch.places(sample.stack);
  if (places.empty()) return;
  const event::FramePlace& place = places.back();
  const std::uint32_t method = slice.names.methods().index(slice.batch.list(sample.stack).back());
  if (place.il >= 0) il_offsets_[{method, static_cast<std::uint32_t>(place.il)}] += weight;
  else if (place.ip != 0) managed_ips_[place.ip] += weight;
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
  return {methods_table(names, options), code_table(names, options), threads_table(names, options),
          places_table(names, options)};
}

Table Samples::methods_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("sampled_methods", "samples",
                           at_one_moment_ ? "Stacks of threads by method" : "Samples by method",
                           {{"self", "Self", Unit::count},
                            {"self_share", "Self %", Unit::percent},
                            {"inclusive", "Inclusive", Unit::count},
                            {"inclusive_share", "Inclusive %", Unit::percent},
                            {"method", "Method"}});
  for (std::uint32_t i = 0; i < methods_.size(); ++i) {
    const Hits& hits = methods_[i];
    std::string name = names.method_name(i);
    if (hits.inclusive == 0 || !keeps(selection_, name)) continue;
    if (!selection_.show_helpers && names.is_helper(i)) continue;
    table.rows.push_back({hits.self, share(hits.self, weight_), hits.inclusive,
                          share(hits.inclusive, weight_), std::move(name)});
  }
  if (no_method_ != 0 && keeps(selection_, "?")) {
    table.rows.push_back({no_method_, share(no_method_, weight_), no_method_,
                          share(no_method_, weight_), std::string("?")});
    table.notes.push_back("\"?\" are samples without a managed frame.");
  }
  if (paused_ != 0)
    table.notes.push_back(base::count_text(paused_, "sample", "samples") +
                          " while the recording was paused: not counted.");
  if (in_helpers_ != 0) {
    table.notes.push_back(base::count_text(in_helpers_, "sample", "samples") +
                          " in runtime helpers: each counts for the method that called it.");
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
  static constexpr const char* kOwners[] = {"unknown", "managed", "native"};
  for (const auto& [place, hits] : places) {
    if (!keeps(selection_, place.second)) continue;
    table.rows.push_back(
        {hits, share(hits, all), kOwners[static_cast<std::size_t>(place.first)], place.second});
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

Table Samples::places_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("sampled_places", "samples", "Samples by place in the method",
                           {{"hits", "Samples", Unit::count},
                            {"share", "%", Unit::percent},
                            {"il", "IL offset"},
                            {"method", "Method"}});
  auto hits_at = il_offsets_;
  std::uint64_t without_code = 0;
  for (const auto& [ip, hits] : managed_ips_) {
    const auto place = code_.il_place(ip);
    if (place) hits_at[{place->method, place->il}] += hits;
    else without_code += hits;
  }
  for (const auto& [place, hits] : hits_at) {
    const auto& [method, il] = place;
    std::string name = names.method_name(method);
    if (!keeps(selection_, name)) continue;
    table.rows.push_back({hits, share(hits, weight_), il_text(il), std::move(name)});
  }
  if (without_code != 0)
    table.notes.push_back(base::count_text(without_code, "sample", "samples") +
                          " at instruction pointers that no code covers.");
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
  if (at_one_moment_)
    return {base::count_text(weight_, "stack", "stacks") +
            " of threads as they stood at one moment: no samples over time"};
  std::string line = base::count_text(weight_, "sample", "samples");
  if (top != NameTable::kNone) {
    line += fmt::format("; {} of them in {}", share_text(methods_[top].self, weight_),
                        names.method_name(top));
  }
  if (no_method_ != 0)
    line += fmt::format("; {} outside managed code", share_text(no_method_, weight_));
  return {line};
}

}  // namespace

std::shared_ptr<Analysis> make_samples(const Shared& shared) {
  return std::make_shared<Samples>(shared.selection);
}

}  // namespace polytrace::analysis
