// SPDX-License-Identifier: Apache-2.0
#include "history/model/tree.hpp"
#include "base/codes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace polytrace::history {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(tree, root_has_key_0) {
  const Tree tree;
  EXPECT_EQ(tree.key(Tree::kTop), kRoot);
  EXPECT_EQ(tree.node(kRoot), Tree::kTop);
  EXPECT_EQ(tree.path(Tree::kTop), "");
  EXPECT_THAT(tree.match(""), ElementsAre(Tree::kTop));
}

TEST(tree, wildcard_stands_for_one_level_and_dots_for_the_parent) {
  Tree tree;
  const Tree::Node one = *tree.make("Threads/1/Status");
  const Tree::Node two = *tree.make("/Threads/2/Status");
  EXPECT_THAT(tree.match("Threads/*/Status"), ElementsAre(one, two));
  EXPECT_THAT(tree.match("Threads/*/.."), ElementsAre(tree.find(Tree::kTop, "Threads")));
  EXPECT_THAT(tree.match("*/Status"), IsEmpty());
  EXPECT_THAT(tree.match("**/Status"), ElementsAre(one, two));
  EXPECT_THAT(tree.match("Thr*ds/**/2/St*"), ElementsAre(two));
  EXPECT_THAT(tree.match("**"), testing::SizeIs(tree.size()));
  EXPECT_THAT(tree.match("T*/1/**"), ElementsAre(tree.parent(one), one));
  EXPECT_THAT(tree.match("*e*/*1/*tatu*s*"), ElementsAre(one));
  EXPECT_THAT(tree.match("Threads/1/St*x"), IsEmpty());
  const Tree::Node starred = *tree.make("a\\*b/c");
  EXPECT_THAT(tree.match("a\\*b/c"), ElementsAre(starred));
  EXPECT_THAT(tree.match("?\\*b/c"), IsEmpty());
  EXPECT_THAT(tree.match(".."), IsEmpty());
}

TEST(tree, path_of_any_name_leads_back_to_its_node) {
  Tree tree;
  Tree::Node node = tree.child(Tree::kTop, "a/b\\c");
  for (const char* name : {"*", "..", "\\", "/", ".", " ", "\n"}) node = tree.child(node, name);
  EXPECT_THAT(tree.match(tree.path(node)), ElementsAre(node));
  EXPECT_EQ(*tree.make(tree.path(node)), node);
}

TEST(tree, key_belongs_to_one_node) {
  Tree tree;
  const Tree::Node one = tree.child(Tree::kTop, "one");
  EXPECT_EQ(tree.key(one), kNoKey);
  EXPECT_TRUE(tree.set_key(one, 7));
  EXPECT_TRUE(tree.set_key(one, 7));
  EXPECT_FALSE(tree.set_key(one, 8));
  EXPECT_FALSE(tree.set_key(tree.child(Tree::kTop, "two"), 7));
  EXPECT_EQ(tree.node(7), one);
}

TEST(tree, subtree_of_a_deep_tree_needs_no_deep_stack) {
  Tree tree;
  Tree::Node node = Tree::kTop;
  for (int i = 0; i < 10000; ++i) node = tree.child(node, "x");
  EXPECT_EQ(tree.subtree(Tree::kTop).size(), 10001U);
  EXPECT_THAT(tree.match(tree.path(node)), ElementsAre(node));
}

TEST(tree, make_refuses_a_path_of_too_many_names) {
  Tree tree;
  std::string path;
  for (std::size_t i = 0; i < kMostTreeDepth; ++i) path += "x/";
  EXPECT_TRUE(tree.make(path));
  EXPECT_EQ(tree.make(path + "x").error().code, base::Code::limit_exceeded);
}

TEST(tree, make_refuses_a_path_of_several_nodes) {
  Tree tree;
  EXPECT_EQ(tree.make("a/*").error().code, base::Code::key_unknown);
  EXPECT_EQ(tree.make("a//b").error().code, base::Code::key_unknown);
  EXPECT_EQ(tree.make("..").error().code, base::Code::key_unknown);
}

}  // namespace
}  // namespace polytrace::history
