// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/rules.hpp"

#include <algorithm>
#include <array>

namespace polytrace::analysis {
namespace {

struct OpWord {
  std::string_view word;
  RuleOp op;
};
constexpr std::array kOps{OpWord{"only", RuleOp::only}, OpWord{"not", RuleOp::without},
                          OpWord{"hide", RuleOp::hide}, OpWord{"collapse", RuleOp::collapse},
                          OpWord{"root", RuleOp::root}};

// By node: whether it, or anything above it, matches.
std::vector<bool> matching_parts(const WeighedTree& tree, const MethodTest& matches) {
  std::vector<bool> inside(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i)
    inside[i] = inside[tree.nodes[i].parent] || matches(tree.nodes[i].method);
  return inside;
}

// Callers of what is kept stay as the way to it.
WeighedTree only(const WeighedTree& tree, const MethodTest& matches) {
  const auto inside = matching_parts(tree, matches);
  std::vector<bool> leads(inside);
  for (std::size_t i = tree.nodes.size(); i-- > 1;)
    if (leads[i]) leads[tree.nodes[i].parent] = true;
  WeighedMaker maker(tree);
  std::vector<std::uint32_t> places(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    if (!leads[i]) continue;
    places[i] = maker.child(places[tree.nodes[i].parent], tree.nodes[i].method);
    if (inside[i]) maker.node(places[i]).add(tree.nodes[i]);
  }
  return maker.take();
}

WeighedTree without(const WeighedTree& tree, const MethodTest& matches) {
  const auto inside = matching_parts(tree, matches);
  WeighedMaker maker(tree);
  std::vector<std::uint32_t> places(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    if (inside[i]) continue;
    places[i] = maker.child(places[tree.nodes[i].parent], tree.nodes[i].method);
    maker.node(places[i]).add(tree.nodes[i]);
  }
  return maker.take();
}

WeighedTree from_roots(const WeighedTree& tree, const MethodTest& matches) {
  const auto inside = matching_parts(tree, matches);
  WeighedMaker maker(tree);
  std::vector<std::uint32_t> places(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    if (!inside[i]) continue;
    places[i] = maker.child(places[tree.nodes[i].parent], tree.nodes[i].method);
    maker.node(places[i]).add(tree.nodes[i]);
  }
  return maker.take();
}

WeighedTree collapsed(const WeighedTree& tree, const MethodTest& matches) {
  WeighedMaker maker(tree);
  std::vector<std::uint32_t> places(tree.nodes.size());
  std::vector<bool> is_run(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const WeighedNode& node = tree.nodes[i];
    is_run[i] = matches(node.method);
    const bool joins = is_run[i] && is_run[node.parent];
    places[i] = joins ? places[node.parent] : maker.child(places[node.parent], node.method);
    if (joins && tree.counts_calls) maker.node(places[i]).add_weight(node);
    else maker.node(places[i]).add(node);
  }
  return maker.take();
}

}  // namespace

std::optional<RuleOp> find_rule_op(std::string_view word) {
  const auto found = std::ranges::find(kOps, word, &OpWord::word);
  return found == kOps.end() ? std::nullopt : std::optional(found->op);
}

WeighedTree with_rule(const WeighedTree& tree, const Rule& rule, std::uint32_t unowned) {
  switch (rule.op) {
    case RuleOp::only: return only(tree, rule.matches);
    case RuleOp::without: return without(tree, rule.matches);
    case RuleOp::hide: return without_frames(tree, rule.matches, unowned);
    case RuleOp::collapse: return collapsed(tree, rule.matches);
    case RuleOp::root: return from_roots(tree, rule.matches);
  }
  return tree;
}

}  // namespace polytrace::analysis
