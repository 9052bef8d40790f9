// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/dominators.hpp"

#include <gtest/gtest.h>

#include <random>

namespace polytrace::test {
namespace {

using analysis::Dominators;
using analysis::DominatorTree;
using analysis::HeapGraph;
using analysis::HeapGraphBuilder;
using Index = HeapGraph::Index;

constexpr base::Id kFirst = 0x1000, kStep = 16;

base::Id id_of(std::uint64_t object) { return kFirst + object * kStep; }

struct Shape {
  Index objects;
  unsigned references;  // at most, of each
  Index roots;
  Index reach;  // how far away the target of a reference may lie, 0 = anywhere
};

HeapGraph random_graph(std::mt19937& random, const Shape& shape) {
  HeapGraphBuilder builder;
  std::vector<event::Ref> refs;
  for (Index i = 0; i < shape.objects; ++i) {
    refs.clear();
    for (auto n = random() % (shape.references + 1); n > 0; --n) {
      const auto target = shape.reach == 0 ? random() : i + random() % shape.reach;
      refs.push_back({id_of(target % shape.objects), 0});
    }
    builder.add(id_of(i), i % 3, 1 + random() % 100, refs);
  }
  for (Index i = 0; i < shape.roots; ++i) builder.add_root(id_of(random() % shape.objects), "root");
  return builder.finish();
}

// What the roots reach when `without` is not there.
std::vector<bool> reached(const HeapGraph& graph, Index without) {
  std::vector<bool> seen(graph.objects());
  std::vector<Index> waiting;
  const auto meet = [&](Index object) {
    if (object == without || seen[object]) return;
    seen[object] = true;
    waiting.push_back(object);
  };
  for (const HeapGraph::Root& root : graph.roots()) meet(root.object);
  while (!waiting.empty()) {
    const Index object = waiting.back();
    waiting.pop_back();
    for (const Index target : graph.references(object)) meet(target);
  }
  return seen;
}

// By the definition: an object retains what is not reached any more without it.
void expect_by_definition(const HeapGraph& graph) {
  const Dominators dominators = Dominators::of(graph);
  const std::vector<bool> all = reached(graph, HeapGraph::kNone);
  for (Index object = 0; object < graph.objects(); ++object) {
    ASSERT_EQ(dominators.reached(object), all[object]);
    if (!all[object]) continue;
    const std::vector<bool> rest = reached(graph, object);
    std::uint64_t retained = 0;
    for (Index other = 0; other < graph.objects(); ++other) {
      const bool lost = all[other] && !rest[other];
      if (lost) retained += graph.size(other);
      bool above = false;  // `object` stands in the chain of dominators above `other`
      for (Index at = other; all[other] && at != Dominators::kRoots; at = dominators.of_object(at))
        above = above || at == object;
      ASSERT_EQ(lost, above) << object << " and " << other;
    }
    ASSERT_EQ(dominators.retained(object), retained) << object;
  }
}

TEST(dominators, of_random_graphs_are_those_of_the_definition) {
  std::mt19937 random(7);
  const Shape shapes[] = {{1, 1, 1, 0},   {12, 2, 1, 0}, {30, 1, 3, 4}, {40, 3, 2, 6},
                          {40, 2, 40, 0}, {50, 2, 1, 3}, {60, 4, 4, 0}, {150, 3, 2, 12}};
  for (const Shape& shape : shapes)
    for (int round = 0; round < 60; ++round) expect_by_definition(random_graph(random, shape));
}

TEST(dominators, of_a_long_chain_with_a_way_back) {
  constexpr Index kLinks = 200'000;
  HeapGraphBuilder builder;
  for (Index i = 0; i < kLinks; ++i) {
    const event::Ref refs[] = {{id_of((i + 1) % kLinks), 0}, {id_of(i / 2), 0}};
    builder.add(id_of(i), 0, 10, refs);
  }
  builder.add_root(id_of(0), "root");
  const HeapGraph graph = builder.finish();
  const Dominators dominators = Dominators::of(graph);
  for (Index i = 0; i < kLinks; ++i) {
    ASSERT_EQ(dominators.of_object(i), i == 0 ? Dominators::kRoots : i - 1);
    ASSERT_EQ(dominators.retained(i), std::uint64_t{kLinks - i} * 10);
  }
}

TEST(dominators, without_roots_start_where_nothing_refers_to) {
  HeapGraphBuilder builder;
  const auto add = [&](Index object, Index target) {
    const event::Ref refs[] = {{id_of(target), 0}};
    builder.add(id_of(object), 0, 1, refs);
  };
  add(0, 1), add(1, 2), add(2, 1);  // 0 -> 1 <-> 2
  add(3, 4), add(4, 3);             // a circle of its own
  const HeapGraph graph = builder.finish();
  const Dominators dominators = Dominators::of(graph);
  EXPECT_FALSE(dominators.roots_told());
  EXPECT_EQ(dominators.of_object(0), Dominators::kRoots);
  EXPECT_EQ(dominators.of_object(2), 1U);
  EXPECT_EQ(dominators.of_object(3), Dominators::kRoots);
  EXPECT_EQ(dominators.of_object(4), 3U);
  EXPECT_EQ(dominators.reached_bytes(), 5U);
}

TEST(dominator_tree, is_walked_whole_and_nested) {
  std::mt19937 random(11);
  const HeapGraph graph = random_graph(random, {500, 3, 5, 0});
  const Dominators dominators = Dominators::of(graph);
  const DominatorTree tree(dominators, graph.objects());
  std::vector<Index> open{Dominators::kRoots};
  std::vector<bool> seen(graph.objects());
  analysis::walk(
      dominators, tree,
      [&](Index object) {
        EXPECT_EQ(dominators.of_object(object), open.back());
        open.push_back(object);
        seen[object] = true;
      },
      [&](Index object) {
        EXPECT_EQ(open.back(), object);
        open.pop_back();
      });
  EXPECT_EQ(open.size(), 1U);
  for (Index object = 0; object < graph.objects(); ++object)
    EXPECT_EQ(seen[object], dominators.reached(object));
}

TEST(heap_graph, takes_objects_in_parts_and_counts_what_is_not_there) {
  HeapGraphBuilder builder;
  const event::Ref to_second[] = {{0x20, 0}, {0, 8}, {0x99, 16}};
  const event::Ref to_first[] = {{0x10, 0}};
  constexpr std::uint64_t kHuge = std::uint64_t{5} << 32;
  builder.add(0x10, 1, 24, to_second);
  builder.add(0x20, 2, kHuge, to_first);
  builder.add(0x10, 1, 0, to_second);
  builder.add(0x20, 2, 6, {});
  builder.add_root(0x10, "stack");
  builder.add_root(0x77, "handle");
  const HeapGraph graph = builder.finish();
  ASSERT_EQ(graph.objects(), 2U);
  EXPECT_EQ(graph.find(0x20), 1U);
  EXPECT_EQ(graph.find(0x99), HeapGraph::kNone);
  EXPECT_EQ(graph.references(0).size(), 2U);
  EXPECT_EQ(graph.references(1).size(), 1U);
  EXPECT_EQ(graph.size(0), 24U);
  EXPECT_EQ(graph.size(1), kHuge + 6);
  EXPECT_EQ(graph.bytes(), kHuge + 30);
  EXPECT_EQ(graph.outside(), 2U);
  ASSERT_EQ(graph.roots().size(), 1U);
  EXPECT_EQ(graph.root_kinds()[graph.roots()[0].kind], "stack");
  EXPECT_EQ(graph.roots_outside(), 1U);
}

}  // namespace
}  // namespace polytrace::test
