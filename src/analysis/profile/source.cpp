// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/source.hpp"

#include <algorithm>

#include "analysis/calls/calltree.hpp"
#include "analysis/profile/event_stacks.hpp"
#include "analysis/samples/allocation_stacks.hpp"
#include "analysis/samples/cpu_times.hpp"
#include "analysis/table/cells.hpp"
#include "base/seeded_hash.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/call_site.hpp"
#include "slice/stack_changes.hpp"
#include "slice/work_clock.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;

// Amounts by stack and thread.
class StackAmounts {
 public:
  explicit StackAmounts(bool by_thread) : by_thread_(by_thread) {}

  void add(std::uint32_t thread, std::uint32_t stack, const Amount& amount) {
    const std::uint64_t number = by_thread_ ? thread : 0;
    amounts_[(number << 32) | stack].merge(amount);
  }
  // In order of thread and stack, so that equal traces make equal profiles.
  void fill(ProfileTree& tree, const StackTree& stacks) const {
    std::vector<std::pair<std::uint64_t, Amount>> sorted(amounts_.begin(), amounts_.end());
    std::ranges::sort(sorted, {}, &std::pair<std::uint64_t, Amount>::first);
    for (const auto& [key, amount] : sorted) {
      const std::uint32_t thread = tree.thread(static_cast<std::uint32_t>(key >> 32));
      tree.add(tree.path(thread, stacks, static_cast<std::uint32_t>(key)), amount);
    }
  }

 private:
  bool by_thread_;
  base::IdMap<Amount> amounts_;
};

// A call tree as a profile, with what function(node) gives for each node's own amount. Nodes are
// only there where they or something below them has any, or all of them.
template <class Own>
void add_calls(ProfileTree& tree, const CallTree& calls, bool by_thread, bool all, const Own& own) {
  const auto nodes = calls.nodes();
  std::vector<bool> wanted(nodes.size(), all);
  for (std::size_t i = nodes.size(); !all && i-- > CallTree::kFirst;) {
    if (own(static_cast<std::uint32_t>(i)).weight != 0) wanted[i] = true;
    if (wanted[i]) wanted[nodes[i].parent] = true;
  }
  std::vector<std::uint32_t> numbers(nodes.size());
  if (!by_thread && calls.total() != 0) numbers[CallTree::kRoot] = tree.thread(0);
  for (std::uint32_t i = CallTree::kFirst; i < nodes.size(); ++i) {
    if (!wanted[i]) continue;
    const CallTree::Node& node = nodes[i];
    const bool is_thread = by_thread && node.parent == CallTree::kRoot;
    numbers[i] =
        is_thread ? tree.thread(node.method) : tree.new_child(numbers[node.parent], node.method);
    if (!is_thread) tree.add(numbers[i], own(i));
  }
}

class CallSource final : public ProfileSource {
 public:
  CallSource(const Selection& selection, const ProfileOptions& options)
      : subtracted_(subtracted_text(selection)),
        by_thread_(options.by_thread),
        calls_(options.tree) {}

  void fill(ProfileTree& tree, const Names&) override {
    add_calls(tree, *calls_, by_thread_, true, [this](std::uint32_t node) {
      return Amount{calls_->nodes()[node].calls, calls_->self(node)};
    });
    if (!by_thread_) return add_frameless(tree, 0, CallTree::kRoot);
    for (std::uint32_t i = CallTree::kFirst; i < calls_->nodes().size(); ++i)
      if (calls_->nodes()[i].parent == CallTree::kRoot)
        add_frameless(tree, calls_->nodes()[i].method, i);
  }
  std::string_view frameless() const override { return "(runtime helpers)"; }
  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = repair_notes(calls_->repairs());
    if (!subtracted_.empty()) notes.push_back("time is " + subtracted_);
    if (calls_->helpers().calls != 0)
      notes.push_back(helpers_note(calls_->helpers().calls, calls_->helpers().self));
    return notes;
  }
  std::vector<std::string> limits() const override { return calls_->limits(); }

 private:
  // Time of helpers that nothing in the trace called.
  void add_frameless(ProfileTree& tree, std::uint32_t thread, std::uint32_t node) const {
    if (const std::uint64_t self = calls_->self(node); self != 0)
      tree.add(tree.thread(thread), {0, self});
  }

  std::string subtracted_;
  bool by_thread_;
  std::shared_ptr<const CallTree> calls_;
};

// What calls tell themselves; where they do not, what was busy of them.
class CpuSource final : public ProfileSource {
 public:
  CpuSource(const Selection& selection, const ProfileOptions& options)
      : selection_(selection),
        by_thread_(options.by_thread),
        calls_(options.tree),
        amounts_(options.by_thread) {}

  void consume(const Slice& slice) override {
    stacks_.consume(slice, selection_,
                    [&](base::Time, std::uint32_t thread, std::uint32_t stack, std::uint64_t calls,
                        std::uint64_t used) { amounts_.add(thread, stack, {calls, used}); });
  }
  void fill(ProfileTree& tree, const Names&) override {
    if (stacks_.tells()) return amounts_.fill(tree, stacks_.tree());
    add_calls(tree, *calls_, by_thread_, false, [this](std::uint32_t node) {
      return Amount{calls_->nodes()[node].calls, calls_->busy(node).busy};
    });
  }
  std::vector<std::string> limits() const override {
    return stacks_.tells() ? stacks_.tree().limits() : calls_->limits();
  }

 private:
  Selection selection_;
  bool by_thread_;
  std::shared_ptr<const CallTree> calls_;
  CpuStacks stacks_;
  StackAmounts amounts_;
};

class SampleSource final : public ProfileSource {
 public:
  SampleSource(const Selection& selection, bool by_thread)
      : selection_(selection), amounts_(by_thread) {}

  void consume(const Slice& slice) override {
    for (const std::uint32_t i : slice.others) {
      const Event& event = slice.batch.events[i];
      pause_.follow(slice.batch, event);
      if (event.kind != Kind::Sample || pause_.is_paused()) continue;
      if (!selection_.has(event.time) || !selection_.threads.has(event.id)) continue;
      take(slice, event, slice.batch.details_or<event::Sample>(event, {}));
    }
  }
  void fill(ProfileTree& tree, const Names&) override { amounts_.fill(tree, stacks_); }
  std::vector<std::string> limits() const override { return stacks_.limits(); }
  base::Id unknown_thread(std::uint32_t number) const override {
    return number < kFirstUnknown ? base::kNoId : unknown_.id(number - kFirstUnknown);
  }

 private:
  static constexpr std::uint32_t kFirstUnknown = std::uint32_t{1} << 31;

  void take(const Slice& slice, const Event& event, const event::Sample& sample) {
    if (sample.mode == event::SampleMode::change) return;  // no interval passed
    const std::uint32_t stack = sampled_stack(slice, sample, stacks_);
    std::uint32_t thread = slice.names.thread_index(event.id);
    if (thread == Names::kNone) thread = kFirstUnknown + unknown_.index(event.id);
    amounts_.add(thread, stack, {1, std::max<std::uint64_t>(sample.weight, 1)});
  }

  RecordingPause pause_;
  Selection selection_;
  StackTree stacks_;
  StackAmounts amounts_;
  base::IdTable unknown_;
};

class AllocationSource final : public ProfileSource {
 public:
  AllocationSource(const Selection& selection, bool by_thread)
      : selection_(selection), amounts_(by_thread) {}

  void consume(const Slice& slice) override {
    stacks_.consume(slice, selection_,
                    [&](const Event& event, std::uint32_t stack, const Amount& amount) {
                      amounts_.add(slice.threads[event.thread], stack, amount);
                    });
  }
  void fill(ProfileTree& tree, const Names&) override { amounts_.fill(tree, stacks_.tree()); }
  std::vector<std::string> limits() const override { return stacks_.limits(); }
  std::vector<std::string> notes() const override {
    if (stacks_.samples() == 0) return {};
    return {"Estimated from " +
            base::count_text(stacks_.samples(), "sampled object", "sampled objects") +
            ": each counts for all that it represents."};
  }

 private:
  Selection selection_;
  AllocationStacks stacks_;
  StackAmounts amounts_;
};

class ContentionSource final : public ProfileSource {
 public:
  ContentionSource(const Selection& selection, bool by_thread)
      : selection_(selection), amounts_(by_thread) {}

  void consume(const Slice& slice) override {
    for (const std::uint32_t i : slice.others) {
      const Event& event = slice.batch.events[i];
      if (event.kind == Kind::Monitor)
        take(slice, i, slice.batch.details_or<event::Monitor>(event, {}));
    }
  }
  void fill(ProfileTree& tree, const Names&) override { amounts_.fill(tree, stacks_); }
  std::vector<std::string> limits() const override { return stacks_.limits(); }
  std::vector<std::string> notes() const override {
    if (contended_ == ended_) return {};
    return {base::count_text(contended_ - ended_, "contention", "contentions") +
            " without recorded end: no wait time of these is known."};
  }

 private:
  struct Waiting {
    base::Time start = base::kNoTime;  // kNoTime: for nothing
    std::uint32_t stack = StackTree::kRoot;
  };

  void take(const Slice& slice, std::uint32_t index, const event::Monitor& details) {
    const Event& event = slice.batch.events[index];
    const std::uint32_t thread = slice.threads[event.thread];
    Waiting& waiting = base::slot(waiting_, thread);
    if (details.stage != event::MonitorStage::contended) {
      if (waiting.start == base::kNoTime) return;
      amounts_.add(thread, waiting.stack, {0, base::elapsed(waiting.start, event.time)});
      ++ended_;
      waiting = {};
    } else if (waiting = {}; selects(selection_, slice.batch, event)) {
      waiting = {event.time, stack_or_site(slice, index, details.stack, stacks_)};
      amounts_.add(thread, waiting.stack, {1, 0});
      ++contended_;
    }
  }

  Selection selection_;
  StackTree stacks_;
  StackAmounts amounts_;
  std::vector<Waiting> waiting_;  // by thread index
  std::uint64_t contended_ = 0;
  std::uint64_t ended_ = 0;
};

class ExceptionSource final : public ProfileSource {
 public:
  ExceptionSource(const Selection& selection, bool by_thread)
      : selection_(selection), amounts_(by_thread) {}

  void consume(const Slice& slice) override {
    for (const std::uint32_t i : slice.others) {
      const Event& event = slice.batch.events[i];
      if (event.kind != Kind::Throw || !selects(selection_, slice.batch, event)) continue;
      const auto details = slice.batch.details_or<event::Throw>(event, {});
      amounts_.add(slice.threads[event.thread], stack_or_site(slice, i, details.stack, stacks_),
                   {1, 1});
    }
  }
  void fill(ProfileTree& tree, const Names&) override { amounts_.fill(tree, stacks_); }
  std::vector<std::string> limits() const override { return stacks_.limits(); }

 private:
  Selection selection_;
  StackTree stacks_;
  StackAmounts amounts_;
};

}  // namespace

std::unique_ptr<ProfileSource> make_profile_source(Carrier carrier, const Selection& selection,
                                                   const ProfileOptions& options) {
  const bool by_thread = options.by_thread;
  switch (carrier) {
    case Carrier::calls: return std::make_unique<CallSource>(selection, options);
    case Carrier::cpu: return std::make_unique<CpuSource>(selection, options);
    case Carrier::samples: return std::make_unique<SampleSource>(selection, by_thread);
    case Carrier::allocations: return std::make_unique<AllocationSource>(selection, by_thread);
    case Carrier::contentions: return std::make_unique<ContentionSource>(selection, by_thread);
    case Carrier::exceptions: return std::make_unique<ExceptionSource>(selection, by_thread);
  }
  return nullptr;
}

}  // namespace polytrace::analysis
