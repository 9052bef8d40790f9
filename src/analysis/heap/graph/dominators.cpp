// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/dominators.hpp"

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

// What is looked at often is small: a bit an object says whether it was reached, and only the way
// to where the walk stands is kept.
class Walker {
 public:
  explicit Walker(const HeapGraph& graph)
      : graph_(graph), reached_(graph.objects()), walk_{Indexes(graph.objects()), {}, 0} {
    // Room that is not used takes no memory.
    walk_.parents.reserve(graph.objects() + std::size_t{1});
    walk_.parents.push_back(0);
    way_.reserve(graph.objects());
  }

  void start(Index object) {
    if (reached(object)) return;
    arrive(object, 0);
    while (!way_.empty()) {
      const Index next = next_new(way_.back());
      if (next == kNoIndex) way_.pop_back();
      else arrive(next, walk_.numbers[way_.back().object]);
    }
  }
  bool reached(Index object) const { return reached_[object]; }
  Walk finish() { return std::move(walk_); }

 private:
  struct Step {
    Index object;
    Index place;  // of the next reference to look at
  };

  void arrive(Index object, Index parent) {
    reached_[object] = true;
    walk_.numbers[object] = ++walk_.reached;
    walk_.parents.push_back(parent);
    way_.push_back({object, 0});
    constexpr std::size_t kSoon = 8;
    const auto references = graph_.references(object);
    for (const Index target : references.first(std::min(references.size(), kSoon)))
      graph_.prefetch(target);
  }
  Index next_new(Step& step) const {
    const auto references = graph_.references(step.object);
    while (step.place < references.size())
      if (const Index target = references[step.place++]; !reached(target)) return target;
    return kNoIndex;
  }

  const HeapGraph& graph_;
  std::vector<bool> reached_;
  Walk walk_;
  std::vector<Step> way_;
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

// Lengauer and Tarjan, in numbers. Until a number is linked, its label is the head of its bucket;
// while one waits in a bucket, its dominator is the next one there; parents become ancestors.
template <class Offset>
class Solver {
 public:
  Solver(Referrers<Offset> referrers, Indexes& parents)
      : referrers_(std::move(referrers)), all_(parents.size()), relative_(parents.size()) {
    for (std::size_t i = 0; i < parents.size(); ++i) all_[i].ancestor = parents[i];
    parents = {};
  }

  Indexes solve() {
    const auto count = static_cast<Index>(all_.size() - 1);
    for (Index number = count; number != 0; --number) {
      linked_ = number + 1;
      empty_bucket(number);
      take(number);
    }
    referrers_ = {};
    Indexes dominators(all_.size());
    for (Index number = 1; number <= count; ++number) {
      const Index above = all_[number].dominator;
      dominators[number] = relative_[number] ? dominators[above] : above;
    }
    return dominators;
  }

 private:
  // Side by side, because they are wanted together.
  struct Number {
    Index ancestor = 0;
    Index label = 0;
    Index semi = 0;  // of the label
    Index dominator = 0;
  };

  void empty_bucket(Index number) {
    for (Index waiting = all_[number].label; waiting != 0;) {
      const Number& above = best(waiting);
      const bool relative = above.semi < number;
      relative_[waiting] = relative;
      waiting = std::exchange(all_[waiting].dominator, relative ? above.label : number);
    }
  }
  void take(Index number) {
    Number& own = all_[number];
    const Index parent = own.ancestor;
    Index semi = parent;
    const Offset first = referrers_.firsts[number];
    for (Offset at = referrers_.firsts[number + std::size_t{1}]; at-- != first;) {
      look_ahead(at);
      const Index from = referrers_.numbers[at];
      semi = std::min(semi, from > number ? best(from).semi : from);
    }
    own.semi = semi;
    own.label = number;
    // Its dominator lies between the semidominator and the parent.
    if (semi == parent || semi == 0) own.dominator = semi;
    else own.dominator = std::exchange(all_[semi].label, number);
  }
  // The way up from a referrer is a chain of cache misses: those whose turn comes soon are followed
  // step by step meanwhile.
  void look_ahead(std::size_t at) {
    if (at < kAhead) return;
    Index& fresh = soon_[at % kAhead] = referrers_.numbers[at - kAhead];
    __builtin_prefetch(&all_[fresh]);
    for (std::size_t near = kStep; near < kAhead; near += kStep) {
      Index& up = soon_[(at - near) % kAhead];
      if (up < linked_) continue;
      up = all_[up].ancestor;
      __builtin_prefetch(&all_[up]);
    }
  }
  // A linked number, whose label then is the one with the least semidominator from it up.
  const Number& best(Index number) {
    if (all_[number].ancestor >= linked_) compress(number);
    return all_[number];
  }
  // Turns the way up round, and everything on it towards its top on the way back.
  void compress(Index number) {
    Index below = 0;
    while (all_[number].ancestor >= linked_)
      below = std::exchange(number, std::exchange(all_[number].ancestor, below));
    const Index top = all_[number].ancestor;
    Index label = all_[number].label;
    Index semi = all_[number].semi;
    while (below != 0) {
      Number& one = all_[below];
      if (one.semi <= semi) label = one.label, semi = one.semi;
      else one.label = label, one.semi = semi;
      below = std::exchange(one.ancestor, top);
    }
  }

  static constexpr std::size_t kAhead = 32;  // referrers
  static constexpr std::size_t kStep = 4;

  Referrers<Offset> referrers_;
  std::vector<Number> all_;
  std::vector<bool> relative_;  // its dominator is that of the number that stands there
  Index linked_ = 0;            // this and all greater ones are
  std::array<Index, kAhead> soon_{};
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
