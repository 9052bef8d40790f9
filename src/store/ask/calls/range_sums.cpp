// SPDX-License-Identifier: Apache-2.0
#include "store/ask/calls/range_sums.hpp"

#include <algorithm>

#include "base/large_pages.hpp"
#include "base/seeded_hash.hpp"
#include "store/ask/calls/range_reader.hpp"

namespace polytrace::store {
namespace {

// A tree's nodes by place: who is below whom.
struct Below {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t first = kNone;
  std::uint32_t next = kNone;  // of the same parent
};

class MethodSums {
 public:
  MethodSums(const Paths& paths, const std::vector<TreeNode>& nodes)
      : paths_(paths), nodes_(nodes), below_(nodes.size()) {
    for (std::size_t i = nodes.size(); i-- > 1;) {
      Below& parent = below_[nodes[i].caller];
      below_[i].next = parent.first;
      parent.first = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<MethodSum> sum() {
    for (std::uint32_t at = below_[0].first; at != Below::kNone; at = next(at)) enter(at);
    std::erase_if(all_, [](const MethodSum& sum) {
      return sum.method == kNoMethod || (sum.calls == 0 && sum.total == 0);
    });
    std::ranges::sort(all_, {}, &MethodSum::method);
    return std::move(all_);
  }

 private:
  // Down, else beside, else beside what is above.
  std::uint32_t next(std::uint32_t at) {
    if (below_[at].first != Below::kNone) return below_[at].first;
    for (;; open_.pop_back()) {
      --open_by_method_[open_.back().slot];
      const std::uint32_t beside = below_[open_.back().node].next;
      if (beside != Below::kNone || open_.size() == 1) return open_.pop_back(), beside;
    }
  }
  std::uint32_t slot_of(std::uint32_t method) {
    const auto [known, fresh] = slots_.try_emplace(method, static_cast<std::uint32_t>(all_.size()));
    if (fresh) {
      all_.push_back({method, 0, 0, 0, 0, 0, 0, 0, 0});
      open_by_method_.push_back(0);
    }
    return known->second;
  }
  void enter(std::uint32_t at) {
    const TreeNode& node = nodes_[at];
    const std::uint32_t slot = slot_of(paths_.method(node.own.path));
    open_.push_back({at, slot});
    const bool is_outermost = open_by_method_[slot]++ == 0;
    MethodSum& sum = all_[slot];
    sum.calls += node.own.calls;
    sum.total += node.total;
    if (is_outermost) sum.elapsed += node.total;
    sum.self += node.own.self;
    sum.blocked += node.own.blocked;
    sum.waiting += node.own.waiting;
    sum.cpu += node.own.cpu;
    sum.paused += node.own.paused;
  }

  const Paths& paths_;
  const std::vector<TreeNode>& nodes_;
  std::vector<Below> below_;
  struct Open {
    std::uint32_t node;
    std::uint32_t slot;  // of its method
  };
  std::vector<Open> open_;  // from the outermost
  base::IdMap<std::uint32_t> slots_;
  std::vector<MethodSum> all_;
  std::vector<std::uint32_t> open_by_method_;
};

}  // namespace

base::result<RangeSums> range_sums(const CallFrames& frames, const Range& range) {
  const auto pauses = frames.pauses();
  if (!pauses) return base::Unexpected(pauses.error());
  auto paths = read_range(frames, range, pauses->get());
  if (!paths) return base::Unexpected(paths.error());
  RangeSums sums;
  sums.paths_ = std::move(*paths);
  sums.pauses_known_ = *pauses != nullptr;
  return sums;
}

std::vector<TreeNode> RangeSums::tree(const Paths& all) const {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> places(all.size(), kNone);  // by path
  std::vector<std::uint32_t> others;                     // paths that only others are below
  places[kEmptyPath] = 0;
  for (const PathFigures& sum : paths_) places[sum.path] = 0;
  for (const PathFigures& sum : paths_) {
    for (std::uint32_t path = all.parent(sum.path); places[path] == kNone;
         path = all.parent(path)) {
      others.push_back(path);
      places[path] = 0;
    }
  }
  std::ranges::sort(others);
  std::vector<TreeNode> nodes;
  nodes.reserve(paths_.size() + others.size() + 1);
  base::want_large_pages(nodes.data(), nodes.capacity() * sizeof(TreeNode));
  nodes.push_back({});
  const auto put = [&](const PathFigures& sum) {
    places[sum.path] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({sum, sum.self, places[all.parent(sum.path)]});
  };
  auto other = others.begin();
  for (const PathFigures& sum : paths_) {
    for (; other != others.end() && *other < sum.path; ++other) put({{*other}});
    put(sum);
  }
  for (std::size_t i = nodes.size(); i-- > 1;) nodes[nodes[i].caller].total += nodes[i].total;
  return nodes;
}

std::vector<MethodSum> RangeSums::methods(const Paths& all) const {
  return MethodSums(all, tree(all)).sum();
}

}  // namespace polytrace::store
