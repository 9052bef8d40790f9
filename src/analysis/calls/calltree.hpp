// SPDX-License-Identifier: Apache-2.0
// The call tree, merged over threads unless wanted by thread: who called whom along which path.
// Runtime helpers that the selection does not show are no part of it. One 48-byte node per distinct
// path; memory is bounded by kMaxNodes whatever the trace: between slices the lightest paths of a
// tree that is full become one node below each caller, "(other paths)". What is told by method or
// by caller and method counts them all the same.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/calls/call_figures.hpp"
#include "analysis/calls/call_totals.hpp"
#include "analysis/calls/call_walk.hpp"
#include "analysis/calls/own_times.hpp"
#include "analysis/calls/tree_children.hpp"
#include "base/duration_sketch.hpp"
#include "base/large_pages.hpp"
#include "slice/busy_times.hpp"

namespace polytrace::analysis {

class CallTree : public Analysis {
 public:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kFirst = 1;
  static constexpr std::uint32_t kMaxNodes = std::uint32_t{1} << 23;

  // What only a growing tree needs leaves its room to what finish() finds out.
  struct Node {
    union {
      base::Id id = 0;     // of the method, while epoch is the current one
      std::uint64_t self;  // in the end: nanoseconds, modulo 2^64
    };
    union {
      std::uint32_t epoch = NameTable::kNone;
      std::uint32_t number;  // in the end: the node's own
    };
    std::uint32_t method = NameTable::kNone;  // or Names::kOtherPaths
    std::uint32_t parent = kRoot;             // smaller than the node's own number
    // The child called last, and the sibling that is likely to be called after this node: loops
    // call the same few methods in turn (TreeChildren).
    std::uint32_t last_child = kRoot;
    std::uint32_t next = kRoot;
    union {
      std::uint32_t children = 0;
      std::uint32_t size;  // in the end: how many nodes there are from it on down, which follow it
    };
    std::uint64_t calls = 0;
    std::uint64_t total = 0;  // nanoseconds, as in CallTotals
  };
  static_assert(sizeof(Node) == 48);

  using Nodes = std::vector<Node, base::LargePages<Node>>;

  // By thread, each thread has a node of its own below the root, its index in place of a method;
  // there are then no totals(), tables() nor headlines(), and nodes have no order, number or size.
  explicit CallTree(const Selection& selection, bool by_thread = false,
                    std::uint32_t most_nodes = kMaxNodes);
  // Of figures that are told: slices are nothing to it.
  CallTree(const Selection& selection, CallFigures figures);

  // Adds every call's own time to `own`, too. Before the first slice.
  void fill(OwnTimes& own) { policy_.own = &own; }

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  // The tree by heaviest nodes, and the heaviest path.
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<Suspect> suspects(const Names& names) const override;
  std::vector<std::string> limits() const override;

  // --- after finish() ------------------------------------------------------------------------
  std::span<const Node> nodes() const { return policy_.nodes; }
  std::uint64_t self(std::uint32_t node) const { return not_negative(policy_.nodes[node].self); }
  // Of that, what is known to be busy and waiting.
  BusyTimes::Times busy(std::uint32_t node) const {
    return node < busy_.size() ? busy_[node] : BusyTimes::Times{};
  }
  // Whether the trace tells CPU time of threads, without which nothing is.
  bool knows_busy() const { return policy_.busy.known(); }
  // Of all threads' outermost calls.
  std::uint64_t total() const { return policy_.nodes[kRoot].total; }
  // Figures by method.
  const std::vector<CallTotals>& totals() const { return totals_; }
  // Who called whom, in the order of their first nodes.
  const std::vector<CallEdge>& edges() const;
  std::span<const base::DurationSketch> sketches() const { return policy_.sketches; }
  const HelperTotals& helpers() const { return helpers_; }
  // Time of the threads' waits.
  std::uint64_t waited() const { return policy_.clock.waited(); }
  const event::CallAccount& repairs() const { return told_ ? told_->repairs : walk_.repairs(); }
  // The place of a method among all that have nodes, in an order that does not depend on how the
  // trace was read: by name, then id. Nodes of one caller stand in it, too.
  std::uint32_t place(std::uint32_t method) const { return places_[method]; }

 private:
  // What CallWalk asks for.
  struct Policy {
    static constexpr bool kAsksRecursion = false;
    static constexpr bool kTakesSums = true;
    struct Frame : WalkedCall {
      base::Time start;
      std::uint64_t excluded;  // at the start, see WorkClock
      std::uint64_t waits;     // likewise
      std::uint64_t callees;   // their time, where own times are wanted
      std::uint64_t worked;    // of it, without known waits
      std::uint32_t node;
    };
    struct Ended {
      std::uint32_t method = NameTable::kNone;
      std::uint64_t duration = 0;
    };
    static constexpr std::size_t kMany = 1024;  // methods
    Frame bottom(std::uint32_t thread) {
      return {{{base::kNoId, 0}, NameTable::kNone, 0}, 0, 0, 0, 0, 0,
              by_thread ? root(thread) : kRoot};
    }
    [[gnu::always_inline]] inline void enter(const Frame& caller, Frame& frame,
                                             const event::Event& event, base::Time start,
                                             const Names& names) {
      frame.start = start;
      frame.node = child(caller.node, event.id, names);
      frame.method = nodes[frame.node].method;
      if (watched) [[unlikely]]
        watch(caller, frame);
    }
    void leave(Frame& caller, const Frame& frame, base::Time end, bool) {
      if (watched) [[unlikely]]
        take(frame, end);
      std::uint64_t duration = 0;
      if (!window.measure(frame.start, end, duration)) return;
      if (watched) [[unlikely]]
        duration = watched_duration(caller, frame, end, duration);
      Node& node = nodes[frame.node];
      ++node.calls;
      node.total += duration;
      if (frame.method >= sketches.size()) [[unlikely]]
        add_methods(frame.method);
      bounds[frame.method].add(duration, duration);
      if (sketches.size() < kMany) sketches[frame.method].add(duration);
      else count_later({frame.method, duration});
    }
    void watch(const Frame& caller, Frame& frame) {
      take(caller, frame.start);
      frame.excluded = clock.excluded(frame.start);
      frame.waits = own != nullptr ? clock.waits(frame.start) : 0;
      frame.callees = frame.worked = 0;
    }
    std::uint64_t watched_duration(Frame& caller, const Frame& frame, base::Time end,
                                   std::uint64_t duration) {
      duration -= std::min(duration, clock.excluded(end) - frame.excluded);
      if (own != nullptr) add_own(caller, frame, end, duration);
      return duration;
    }
    void add_own(Frame& caller, const Frame& frame, base::Time end, std::uint64_t duration) {
      const std::uint64_t waits = clock.subtracts_waits() ? 0 : clock.waits(end) - frame.waits;
      const std::uint64_t worked = duration - std::min(duration, waits);
      const std::uint64_t self = not_negative(duration - frame.callees);
      own->add(frame.method, self, std::min(self, not_negative(worked - frame.worked)));
      caller.callees += duration;
      caller.worked += worked;
    }
    // The frame was innermost until then.
    void take(const Frame& frame, base::Time until) {
      if (!busy.wanted()) return;
      const bool is_call = frame.method != NameTable::kNone;
      busy.take(clock.thread(), is_call ? frame.node : BusyTimes::kNobody, until,
                clock.waits(until));
    }
    // The counters of many methods lie far away: each is fetched while the next calls end.
    void count_later(Ended call) {
      sketches[call.method].expect(call.duration);
      call = std::exchange(ended[++latest % ended.size()], call);
      if (call.method != NameTable::kNone) sketches[call.method].add(call.duration);
    }
    void sum(Frame& caller, const Frame& frame, const CallSum& sum, bool) {
      if (!window.has(sum.time)) return;
      Node& node = nodes[frame.node];
      node.calls += sum.calls;
      node.total += sum.total;
      if (frame.method >= sketches.size()) [[unlikely]]
        add_methods(frame.method);
      bounds[frame.method].add(sum.least, sum.most);
      if (own == nullptr) return;
      caller.callees += sum.total;
      caller.worked += sum.total;
    }
    bool fits(std::uint32_t node, base::Id id) const {
      return nodes[node].id == id && nodes[node].epoch == epoch;
    }
    [[gnu::always_inline]] inline std::uint32_t child(std::uint32_t parent, base::Id id,
                                                      const Names& names) {
      const std::uint32_t last = nodes[parent].last_child;
      if (fits(last, id)) return last;
      const std::uint32_t next = nodes[last].next;
      if (fits(next, id)) return nodes[parent].last_child = next;
      return other_child(parent, id, names);
    }
    std::uint32_t other_child(std::uint32_t parent, base::Id id, const Names& names);
    void add_methods(std::uint32_t method);
    void make_room(std::uint32_t most_nodes);
    std::uint32_t root(std::uint32_t thread);

    Policy(const Selection& selection, bool threads_apart)
        : window(selection), clock(selection), busy(selection), by_thread(threads_apart) {}

    CallWindow window;
    WorkClock clock;
    BusyTimes busy;       // by node
    bool watched = true;  // whether there is anything to do for a call that few traces need
    OwnTimes* own = nullptr;
    std::vector<base::DurationSketch> sketches;  // by method
    std::vector<CallBounds> bounds;              // by method
    std::array<Ended, 16> ended;                 // in turns, for count_later()
    std::size_t latest = 0;                      // of them
    bool by_thread;
    std::vector<std::uint32_t> roots;  // by thread: its node, kRoot when it has none yet
    std::uint32_t epoch = 0;
    Nodes nodes;
    TreeChildren children;
  };

  bool is_thread(std::uint32_t node) const {
    return policy_.by_thread && policy_.nodes[node].parent == kRoot;
  }
  class Merge;
  void merge_lightest(const Names& names);
  void leave_out_helpers(const Names& names);
  void fold_recursion();
  void put_in_order(const Names& names);
  void sum_up();
  void sum_methods();

  Selection selection_;
  Policy policy_;
  CallWalk<Policy> walk_;
  HelperTotals helpers_;
  std::uint32_t most_nodes_;
  MergedPaths merged_;
  std::vector<BusyTimes::Times> busy_;   // by node; may be shorter
  std::vector<CallTotals> totals_;       // by method
  std::vector<std::uint32_t> places_;    // by method
  mutable std::vector<CallEdge> edges_;  // once they were asked for
  std::optional<CallFigures> told_;      // its paths have become nodes
};

}  // namespace polytrace::analysis
