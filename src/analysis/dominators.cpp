// SPDX-License-Identifier: Apache-2.0
#include "analysis/dominators.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace polytrace::analysis {
namespace {

using Index = HeapGraph::Index;
using Indexes = std::vector<Index>;

constexpr Index kNoIndex = HeapGraph::kNone;

// The order in which a walk, always deeper first, reaches the objects from the roots: numbers from
// 1 on, 0 stands for all roots together.
struct Walk {
  Indexes numbers;  // by object, 0 = not reached
  Indexes parents;  // by number
  Index reached = 0;
};

class Walker {
 public:
  explicit Walker(const HeapGraph& graph) : graph_(graph), steps_(graph.objects()) {}

  void start(Index object) {
    if (reached(object)) return;
    arrive(object);
    for (Index at = object; at != kNoIndex;) {
      const Index next = next_new(at);
      if (next == kNoIndex) {
        at = steps_[at].from;
        continue;
      }
      arrive(next);
      steps_[next].from = std::exchange(at, next);
    }
  }
  bool reached(Index object) const { return steps_[object].number != 0; }
  Walk finish() {
    Indexes numbers(graph_.objects());
    Indexes parents(reached_ + std::size_t{1});
    for (Index object = 0; object < graph_.objects(); ++object) {
      const Step& step = steps_[object];
      numbers[object] = step.number;
      if (step.from != kNoIndex) parents[step.number] = steps_[step.from].number;
    }
    return {std::move(numbers), std::move(parents), reached_};
  }

 private:
  // Side by side, because they are wanted together.
  struct Step {
    Index number = 0;
    Index from = kNoIndex;
    Index place = 0;  // of the next reference to look at
  };

  void arrive(Index object) {
    steps_[object].number = ++reached_;
    constexpr std::size_t kSoon = 8;
    const auto references = graph_.references(object);
    for (const Index target : references.first(std::min(references.size(), kSoon))) {
      __builtin_prefetch(&steps_[target]);
      graph_.prefetch(target);
    }
  }
  Index next_new(Index object) {
    const auto references = graph_.references(object);
    for (Index& place = steps_[object].place; place < references.size();) {
      const Index target = references[place++];
      if (!reached(target)) return target;
    }
    return kNoIndex;
  }

  const HeapGraph& graph_;
  std::vector<Step> steps_;
  Index reached_ = 0;
};

// By object: whether anything else refers to it.
std::vector<bool> referred(const HeapGraph& graph) {
  std::vector<bool> out(graph.objects());
  for (Index object = 0; object < graph.objects(); ++object)
    for (const Index target : graph.references(object))
      if (target != object) out[target] = true;
  return out;
}

// The objects that the walk starts from, each once, in order.
Indexes walk_from_roots(const HeapGraph& graph, Walker& walker) {
  Indexes starts;
  if (!graph.roots().empty()) {
    std::vector<bool> seen(graph.objects());
    for (const HeapGraph::Root& root : graph.roots()) {
      if (!seen[root.object]) starts.push_back(root.object);
      seen[root.object] = true;
      walker.start(root.object);
    }
    return starts;
  }
  const std::vector<bool> inner = referred(graph);
  for (const bool circles : {false, true})
    for (Index object = 0; object < graph.objects(); ++object) {
      if (inner[object] != circles || walker.reached(object)) continue;
      starts.push_back(object);
      walker.start(object);
    }
  return starts;
}

// By number: the numbers of those that refer to it, but for its parent.
template <class Offset>
struct Referrers {
  std::vector<Offset> firsts;
  Indexes numbers;

  std::span<const Index> of(Index number) const {
    return {numbers.data() + firsts[number], numbers.data() + firsts[number + std::size_t{1}]};
  }
};

// Gathers references and looks at some at once: the cache misses of one overlap with the others'.
template <class Offset, class Function>
class SideSteps {
 public:
  SideSteps(const Walk& walk, const std::vector<Offset>& firsts, const Function& function)
      : walk_(walk), firsts_(firsts), function_(function) {}

  void add(Index from, Index object) {
    __builtin_prefetch(&walk_.numbers[object]);
    steps_[count_++] = {from, object};
    if (count_ == steps_.size()) finish();
  }
  void finish() {
    const std::span steps = std::span(steps_).first(count_);
    for (Step& step : steps) {
      step.to = walk_.numbers[step.to];
      __builtin_prefetch(&walk_.parents[step.to]);
      __builtin_prefetch(&firsts_[step.to]);
    }
    for (const Step& step : steps)
      if (walk_.parents[step.to] != step.from && step.to != step.from)
        function_(step.from, step.to);
    count_ = 0;
  }

 private:
  struct Step {
    Index from;  // a number
    Index to;    // an object, then its number
  };
  const Walk& walk_;
  const std::vector<Offset>& firsts_;
  const Function& function_;
  std::array<Step, 64> steps_{};
  std::size_t count_ = 0;
};

// Calls function(from, to), in numbers, for each reference that is no step of the walk.
template <class Offset, class Function>
void each_side_step(const HeapGraph& graph, const Walk& walk, const Indexes& starts,
                    const std::vector<Offset>& firsts, const Function& function) {
  SideSteps steps(walk, firsts, function);
  for (Index object = 0; object < graph.objects(); ++object) {
    const Index from = walk.numbers[object];
    if (from == 0) continue;
    for (const Index target : graph.references(object)) steps.add(from, target);
  }
  steps.finish();
  for (const Index start : starts)
    if (const Index to = walk.numbers[start]; walk.parents[to] != 0) function(0, to);
}

template <class Offset>
Referrers<Offset> referrers(const HeapGraph& graph, const Walk& walk, const Indexes& starts) {
  Referrers<Offset> out;
  out.firsts.resize(walk.reached + std::size_t{2});
  each_side_step(graph, walk, starts, out.firsts, [&](Index, Index to) { ++out.firsts[to]; });
  Offset sum = 0;
  for (Offset& first : out.firsts) first = sum += first;
  out.numbers.resize(sum);
  // From the ends to the beginnings.
  each_side_step(graph, walk, starts, out.firsts,
                 [&](Index from, Index to) { out.numbers[--out.firsts[to]] = from; });
  return out;
}

// Lengauer and Tarjan, in numbers. While a number waits, its label is the head of its bucket and
// its dominator the next one in the bucket it lies in; its parent becomes its ancestor.
template <class Offset>
class Solver {
 public:
  Solver(Referrers<Offset> referrers, Indexes& parents)
      : referrers_(std::move(referrers)), all_(parents.size()) {
    for (std::size_t i = 0; i < parents.size(); ++i) all_[i].ancestor = parents[i];
    parents = {};
  }

  Indexes solve() {
    const auto count = static_cast<Index>(all_.size() - 1);
    linked_ = count + 1;
    for (Index number = count; number != 0; --number) take(number);
    referrers_ = {};
    Indexes dominators(all_.size());
    for (Index number = 1; number <= count; ++number) {
      const Number& one = all_[number];
      dominators[number] = one.dominator == one.semi ? one.semi : dominators[one.dominator];
    }
    return dominators;
  }

 private:
  // Side by side, because they are wanted together.
  struct Number {
    Index ancestor = 0;
    Index label = 0;
    Index semi = 0;
    Index dominator = 0;
  };

  void take(Index number) {
    constexpr Index kSoon = 16;
    if (number > kSoon)
      for (const Index from : referrers_.of(number - kSoon)) __builtin_prefetch(&all_[from]);
    Number& own = all_[number];
    const Index parent = own.ancestor;
    Index semi = parent;
    for (const Index from : referrers_.of(number))
      semi = std::min(semi, from > number ? all_[best(from)].semi : from);
    own.semi = semi;
    own.dominator = std::exchange(all_[semi].label, number);
    own.label = number;
    linked_ = number;
    for (Index waiting = std::exchange(all_[parent].label, 0); waiting != 0;) {
      const Index above = best(waiting);
      waiting = std::exchange(all_[waiting].dominator, all_[above].semi < parent ? above : parent);
    }
  }
  // Of the linked numbers from `number` up, the one with the least semidominator.
  Index best(Index number) {
    if (all_[number].ancestor >= linked_) compress(number);
    return all_[number].label;
  }
  // Turns the way up round, and everything on it towards its top on the way back.
  void compress(Index number) {
    Index below = 0;
    while (all_[number].ancestor >= linked_)
      below = std::exchange(number, std::exchange(all_[number].ancestor, below));
    const Index top = all_[number].ancestor;
    Index label = all_[number].label;
    Index semi = all_[label].semi;
    while (below != 0) {
      Number& one = all_[below];
      if (const Index own = all_[one.label].semi; own <= semi) label = one.label, semi = own;
      else one.label = label;
      below = std::exchange(one.ancestor, top);
    }
  }

  Referrers<Offset> referrers_;
  std::vector<Number> all_;
  Index linked_ = 0;  // this and all greater ones are
};

template <class Offset>
Indexes solve(const HeapGraph& graph, Walk& walk, const Indexes& starts) {
  return Solver<Offset>(referrers<Offset>(graph, walk, starts), walk.parents).solve();
}

Indexes objects_of(const Walk& walk) {
  Indexes objects(walk.reached + std::size_t{1}, Dominators::kRoots);
  for (Index object = 0; object < walk.numbers.size(); ++object)
    if (walk.numbers[object] != 0) objects[walk.numbers[object]] = object;
  return objects;
}

}  // namespace

Dominators Dominators::of(const HeapGraph& graph) {
  Walker walker(graph);
  const Indexes starts = walk_from_roots(graph, walker);
  Walk walk = walker.finish();
  constexpr std::uint64_t kMost = ~std::uint32_t{0};
  Indexes by_number = graph.reference_count() + starts.size() < kMost
                          ? solve<std::uint32_t>(graph, walk, starts)
                          : solve<std::uint64_t>(graph, walk, starts);

  Dominators out;
  out.roots_told_ = !graph.roots().empty();
  out.reached_objects_ = walk.reached;
  const Indexes objects = objects_of(walk);
  out.retained_.resize(graph.objects());
  for (Index number = walk.reached; number != 0; --number) {
    const Index object = objects[number];
    out.retained_[object] += graph.size(object);
    const Index above = objects[by_number[number]];
    (above == kRoots ? out.reached_bytes_ : out.retained_[above]) += out.retained_[object];
  }
  // By object, in the place of the numbers.
  out.dominators_ = std::move(walk.numbers);
  for (Index& number : out.dominators_)
    number = number == 0 ? kUnreached : objects[by_number[number]];
  return out;
}

DominatorTree::DominatorTree(const Dominators& dominators, Index objects)
    : firsts_(objects, kNoIndex), nexts_(objects, kNoIndex) {
  for (Index object = objects; object-- != 0;) {
    if (!dominators.reached(object)) continue;
    const Index above = dominators.of_object(object);
    Index& first = above == Dominators::kRoots ? first_of_roots_ : firsts_[above];
    nexts_[object] = std::exchange(first, object);
  }
}

}  // namespace polytrace::analysis
