// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/calls/calltree.hpp"
#include "analysis/profile/source.hpp"
#include "analysis/profile/tree.hpp"
#include "analysis/samples/cpu_times.hpp"
#include "analysis/table/words.hpp"
#include "base/codes.hpp"
#include "base/slot.hpp"

namespace polytrace::analysis {
namespace {

using event::Kind;

// In the order in which the default is looked for.
constexpr std::array kWeights{
    Weight{"time", "Time", Unit::nanoseconds, Carrier::calls, false},
    Weight{"calls", "Calls", Unit::count, Carrier::calls, true},
    Weight{"samples", "Samples", Unit::count, Carrier::samples, false},
    Weight{"bytes", "Allocated bytes", Unit::bytes, Carrier::allocations, false},
    Weight{"objects", "Allocated objects", Unit::count, Carrier::allocations, true},
    Weight{"wait", "Wait time", Unit::nanoseconds, Carrier::contentions, false},
    Weight{"contentions", "Contentions", Unit::count, Carrier::contentions, true},
    Weight{"cpu", "CPU time", Unit::nanoseconds, Carrier::cpu, false},
    Weight{"exceptions", "Exceptions", Unit::count, Carrier::exceptions, true},
};

constexpr std::array kCalls{Kind::Enter, Kind::Leave, Kind::Unwind, Kind::SummaryBegin,
                            Kind::SummaryEnd};
constexpr std::array kCpu{Kind::Enter,        Kind::Leave,      Kind::Unwind,
                          Kind::SummaryBegin, Kind::SummaryEnd, Kind::Cpu};
constexpr std::array kSamples{Kind::Sample};
constexpr std::array kAllocations{Kind::Alloc, Kind::AllocSummary};
constexpr std::array kContentions{Kind::Monitor};
constexpr std::array kExceptions{Kind::Throw};

bool tells_thread_cpu(const event::Batch& batch, const event::Event& event) {
  return batch.details_or<event::Cpu>(event, {}).scope == event::CpuScope::thread;
}

std::size_t number(Carrier carrier) { return static_cast<std::size_t>(carrier); }

// A sum that a damaged trace cannot make small by making it large.
std::uint64_t saturated(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? ~std::uint64_t{0} : a + b;
}

}  // namespace

std::span<const Weight> weights() { return kWeights; }

const Weight* find_weight(std::string_view key) {
  const auto found = std::ranges::find(kWeights, key, &Weight::key);
  return found == kWeights.end() ? nullptr : &*found;
}

const Weight* companion(const Weight& weight) {
  for (const Weight& other : kWeights)
    if (other.carrier == weight.carrier && other.is_count != weight.is_count) return &other;
  return nullptr;
}

bool needs_sites(const Weight* weight) {
  return weight != nullptr && weight->carrier != Carrier::calls &&
         weight->carrier != Carrier::cpu && weight->carrier != Carrier::samples;
}

std::span<const Kind> kinds_of(Carrier carrier) {
  switch (carrier) {
    case Carrier::calls: return kCalls;
    case Carrier::cpu: return kCpu;
    case Carrier::samples: return kSamples;
    case Carrier::allocations: return kAllocations;
    case Carrier::contentions: return kContentions;
    case Carrier::exceptions: return kExceptions;
  }
  return {};
}

std::vector<Amount> Profile::totals(std::vector<Amount> totals) const {
  for (std::size_t node = nodes.size(); node-- > 1;) {
    Amount& parent = totals[nodes[node].parent];
    parent.count = saturated(parent.count, totals[node].count);
    parent.weight = saturated(parent.weight, totals[node].weight);
  }
  return totals;
}

Amount Profile::total() const {
  Amount total;
  for (const Amount& self : selfs) {
    total.count = saturated(total.count, self.count);
    total.weight = saturated(total.weight, self.weight);
  }
  return total;
}

ProfileBuilder::ProfileBuilder(const Selection& selection, const ProfileOptions& options)
    : selection_(selection), options_(options) {
  const Weight* weight = options.weight;
  const bool needs_tree = options.every_carrier || weight == nullptr ||
                          weight->carrier == Carrier::calls || weight->carrier == Carrier::cpu;
  if (needs_tree && options_.tree == nullptr) {
    options_.tree = std::make_shared<CallTree>(selection, options.by_thread);
    feeds_tree_ = true;
  }
  for (std::size_t i = 0; i < kCarriers; ++i) {
    const auto carrier = static_cast<Carrier>(i);
    if (options.every_carrier || weight == nullptr || weight->carrier == carrier)
      sources_[i] = make_profile_source(carrier, selection, options_);
  }
}

ProfileBuilder::~ProfileBuilder() = default;

void ProfileBuilder::consume(const Slice& slice) {
  learn(slice);
  note_times(slice);
  if (feeds_tree_) options_.tree->consume(slice);
  const bool is_settled = options_.weight == nullptr && !options_.every_carrier;
  if (is_settled && present_[number(Carrier::calls)]) return;  // the first of weights()
  for (std::size_t i = 0; i < kCarriers; ++i)
    if (sources_[i]) sources_[i]->consume(slice);
}

// What the trace has, and where methods stand in their source.
void ProfileBuilder::learn(const Slice& slice) {
  std::size_t events = 0;
  for (const Run& run : slice.runs) events += run.end - run.begin;
  if (events != slice.others.size()) present_[number(Carrier::calls)] = true;
  if (CpuStacks::tells_cpu(slice.batch)) present_[number(Carrier::cpu)] = true;
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind == Kind::SummaryBegin) present_[number(Carrier::calls)] = true;
    if (event.kind == Kind::Cpu && tells_thread_cpu(slice.batch, event))
      present_[number(Carrier::cpu)] = true;
    if (event.kind == Kind::Sample) present_[number(Carrier::samples)] = true;
    if (event.kind == Kind::Alloc || event.kind == Kind::AllocSummary)
      present_[number(Carrier::allocations)] = true;
    if (event.kind == Kind::Monitor) present_[number(Carrier::contentions)] = true;
    if (event.kind == Kind::Throw) present_[number(Carrier::exceptions)] = true;
    if (event.kind != Kind::Method) continue;
    const auto method = slice.batch.details_or<event::Method>(event, {});
    if (method.source.empty()) continue;
    base::slot(places_, slice.names.methods().index(event.id)) = {
        {}, std::string(method.source), method.first_line};
  }
}

void ProfileBuilder::note_times(const Slice& slice) {
  const auto within = [&](base::Time time) {
    return std::clamp(time, selection_.from, std::max(selection_.from, selection_.to));
  };
  for (const Run& run : slice.runs) {
    if (!selection_.threads.has(slice.names.threads()[run.thread].id)) continue;
    const base::Time begin = slice.batch.events[run.begin].time;
    const base::Time end = slice.batch.events[run.end - 1].time;
    if (end < selection_.from || begin >= selection_.to) continue;
    first_ = first_ == base::kNoTime ? within(begin) : std::min(first_, within(begin));
    last_ = std::max(last_, within(end));
  }
}

base::result<const Weight*> ProfileBuilder::choose() const {
  // Of threads without calls it says nothing by stack.
  const bool has_calls = present_[number(Carrier::calls)];
  std::string known;
  const Weight* chosen = nullptr;
  for (const Weight& weight : kWeights) {
    if (!present_[number(weight.carrier)]) continue;
    if (weight.carrier == Carrier::cpu && !has_calls) continue;
    if (chosen == nullptr || &weight == options_.weight) chosen = &weight;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", weight.key);
  }
  if (chosen == nullptr)
    return base::fail(base::Code::usage,
                      "the trace has no calls, samples, allocations, contentions or exceptions: "
                      "there is nothing to make a profile from");
  if (options_.weight == nullptr || chosen == options_.weight) return chosen;
  return base::fail(base::Code::usage, fmt::format("the trace has no weight \"{}\", only: {}",
                                                   options_.weight->key, known));
}

void drop_unused_frames(Profile& profile) {
  std::vector<std::uint32_t> numbers(profile.frames.size(), NameTable::kNone);
  std::vector<Profile::Frame> frames;
  for (std::size_t node = 1; node < profile.nodes.size(); ++node) {
    std::uint32_t& number = numbers[profile.nodes[node].frame];
    if (number == NameTable::kNone) {
      number = static_cast<std::uint32_t>(frames.size());
      frames.push_back(std::move(profile.frames[profile.nodes[node].frame]));
    }
    profile.nodes[node].frame = number;
  }
  profile.frames = std::move(frames);
}

base::result<Profile> ProfileBuilder::finish(const Names& names) {
  if (feeds_tree_) options_.tree->finish(names);
  const auto weight = choose();
  if (!weight) return base::Unexpected(weight.error());
  return make(**weight, names);
}

base::result<std::vector<Profile>> ProfileBuilder::finish_all(const Names& names) {
  if (feeds_tree_) options_.tree->finish(names);
  const auto chosen = choose();
  if (!chosen) return base::Unexpected(chosen.error());
  std::vector<Profile> all;
  all.push_back(make(**chosen, names));
  std::array<bool, kCarriers> made{};
  made[number((*chosen)->carrier)] = true;
  for (const Weight& weight : kWeights) {
    if (!present_[number(weight.carrier)] || std::exchange(made[number(weight.carrier)], true))
      continue;
    all.push_back(make(weight, names));
    if (all.back().nodes.size() == 1) all.pop_back();
  }
  return all;
}

Profile ProfileBuilder::make(const Weight& weight, const Names& names) {
  ProfileSource& source = *sources_[number(weight.carrier)];
  ProfileTree tree(names, selection_.show_helpers, source.frameless());
  source.fill(tree, names);
  Profile profile;
  profile.weight = &weight;
  profile.first = first_;
  profile.last = last_;
  tree.fill(profile, places_);
  if (!selection_.name.is_any()) profile = with_names(profile, selection_.name);
  profile.notes = source.notes();
  profile.limits = source.limits();
  if (tree.is_full()) profile.limits.push_back(tree.limit());
  if (!options_.by_thread) return profile;
  for (Profile::Thread& thread : profile.threads) {
    const auto index = static_cast<std::uint32_t>(thread.id);
    if (index < names.threads().size()) {
      const ThreadInfo& info = names.threads()[index];
      thread = {info.id, names.thread_name(index), thread.begin, thread.end, info.first, info.last};
    } else {
      thread.id = source.unknown_thread(index);
      thread.name = fmt::format("{:#x}", thread.id);
    }
  }
  return profile;
}

}  // namespace polytrace::analysis
