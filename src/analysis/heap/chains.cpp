// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/chains.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "analysis/table/cells.hpp"

namespace polytrace::analysis {
namespace {

using Index = HeapGraph::Index;
using Way = std::span<const Index>;  // each dominates the next

constexpr double kMainPart = 50;   // percent
constexpr double kLargeLink = 25;  // percent of the chain: then it lies there
constexpr std::uint64_t kFewestLinks = 5;
constexpr int kMostTries = 16;  // of one way, whose length may be that of the snapshot

// The class that most objects of a way have, and where the first and the last of them stand.
struct Recurring {
  std::uint64_t objects = 0;
  std::size_t first = 0;
  std::size_t last = 0;

  // The farther they are apart, the more there must be.
  bool is_chain() const { return objects * objects >= kFewestLinks * (last - first + 1); }
};

class ChainFinder {
 public:
  ChainFinder(const HeapView& view, const DominatorTree& tree, std::uint64_t least)
      : view_(view), tree_(tree), least_(least), taken_(view.graph.objects()) {}

  std::vector<HeapChain> find() {
    const auto enter = [&](Index object) {
      if (retained(object) < least_ || taken_[object]) return;
      const Index above = view_.dominators.of_object(object);
      if (above == Dominators::kRoots || main_part(view_, tree_, above) != object) search(object);
    };
    walk(view_.dominators, tree_, enter, [](Index) {});
    return std::move(found_);
  }

 private:
  std::uint64_t retained(Index object) const { return view_.dominators.retained(object); }

  void search(Index top) {
    std::vector<Index> way;
    for (Index at = top; at != DominatorTree::kNone; at = main_part(view_, tree_, at))
      way.push_back(at);
    int tries = kMostTries;
    search(way, tries);
  }
  // What comes before and behind a chain may be another.
  void search(Way way, int& tries) {
    while (!way.empty() && retained(way.front()) >= least_ && tries-- > 0) {
      const Recurring links = recurring(way);
      if (links.objects == 0) return;
      take_chain(way[links.first]);
      search(way.first(links.first), tries);
      way = way.subspan(links.last + 1);
    }
  }
  Recurring recurring(Way way) const {
    std::map<std::uint32_t, Recurring> classes;
    for (std::size_t i = 0; i < way.size(); ++i) {
      Recurring& one = classes[view_.type(way[i])];
      if (one.objects++ == 0) one.first = i;
      one.last = i;
    }
    Recurring most;
    for (const auto& [type, one] : classes)
      if (one.is_chain() &&
          (one.objects > most.objects || (one.objects == most.objects && one.first < most.first)))
        most = one;
    return most;
  }
  // A link may hold more beside the next one than in it: near the end of a chain all do.
  Index next_of(Index object, std::uint32_t type) const {
    Index next = DominatorTree::kNone;
    for (Index part = tree_.first(object); part != DominatorTree::kNone; part = tree_.next(part))
      if (view_.type(part) == type &&
          (next == DominatorTree::kNone || retained(part) > retained(next)))
        next = part;
    return next == DominatorTree::kNone ? main_part(view_, tree_, object) : next;
  }
  void take_chain(Index head) {
    const std::uint32_t type = view_.type(head);
    HeapChain chain{head, 0, {}, {}};
    std::size_t members = 0;
    Index end = head;
    for (; end != DominatorTree::kNone; end = next_of(end, type)) {
      chain.members.push_back(end);
      if (view_.type(end) != type) continue;
      ++chain.links;
      members = chain.members.size();
    }
    const Index last_part =
        members < chain.members.size() ? chain.members[members] : DominatorTree::kNone;
    chain.members.resize(members);
    const Index behind = is_behind(chain.members, last_part) ? last_part : DominatorTree::kNone;
    const std::uint64_t own = retained(head) - retained_or_none(behind);
    if (own < least_ || !is_spread(chain.members, behind, own)) return;
    chain.links += ends_outside(chain, type);
    chain.parts = heaviest_class(view_, parts_of(chain.members, behind));
    for (const Index member : chain.members) taken_[member] = true;
    found_.push_back(std::move(chain));
  }
  // Whether a part of the last link is more than the links hold beside each other.
  bool is_behind(Way members, Index part) const {
    if (part == DominatorTree::kNone || retained(part) < least_) return false;
    for (std::size_t i = 0; i + 1 < members.size(); ++i)
      if (retained(members[i]) - retained(members[i + 1]) > retained(part)) return false;
    return true;
  }
  // A queue refers to its last link, too, which the one before does not dominate then.
  bool ends_outside(const HeapChain& chain, std::uint32_t type) const {
    const Index above = view_.dominators.of_object(chain.head);
    return above != Dominators::kRoots &&
           std::ranges::any_of(view_.graph.references(chain.members.back()), [&](Index end) {
             return view_.type(end) == type && end != chain.head &&
                    view_.dominators.of_object(end) == above;
           });
  }
  std::uint64_t retained_or_none(Index object) const {
    return object == DominatorTree::kNone ? 0 : retained(object);
  }
  static Index behind_of(Way members, std::size_t i, Index behind) {
    return i + 1 < members.size() ? members[i + 1] : behind;
  }
  bool is_spread(Way members, Index behind, std::uint64_t own) const {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint64_t rest = retained_or_none(behind_of(members, i, behind));
      if (share(retained(members[i]) - rest, own) >= kLargeLink) return false;
    }
    return true;
  }
  // What the members dominate beside each other.
  std::vector<Index> parts_of(Way members, Index behind) const {
    std::vector<Index> parts;
    for (std::size_t i = 0; i < members.size(); ++i)
      for (Index part = tree_.first(members[i]); part != DominatorTree::kNone;
           part = tree_.next(part))
        if (part != behind_of(members, i, behind)) parts.push_back(part);
    return parts;
  }

  const HeapView& view_;
  const DominatorTree& tree_;
  std::uint64_t least_;
  std::vector<bool> taken_;  // members of chains
  std::vector<HeapChain> found_{};
};

}  // namespace

ObjectGroup heaviest_class(const HeapView& view, std::span<const Index> objects) {
  std::map<std::uint32_t, ObjectGroup> groups;
  for (const Index object : objects) {
    ObjectGroup& group = groups[view.type(object)];
    const std::uint64_t retained = view.dominators.retained(object);
    group.type = view.type(object);
    ++group.objects;
    group.retained += retained;
    group.largest = std::max(group.largest, retained);
  }
  ObjectGroup best;
  for (const auto& [type, group] : groups)
    if (group.retained > best.retained) best = group;
  return best;
}

Index main_part(const HeapView& view, const DominatorTree& tree, Index object) {
  const std::uint64_t all = view.dominators.retained(object);
  for (Index part = tree.first(object); part != DominatorTree::kNone; part = tree.next(part))
    if (share(view.dominators.retained(part), all) >= kMainPart) return part;
  return DominatorTree::kNone;
}

std::vector<HeapChain> heap_chains(const HeapView& view, const DominatorTree& tree,
                                   std::uint64_t least) {
  return ChainFinder(view, tree, least).find();
}

}  // namespace polytrace::analysis
