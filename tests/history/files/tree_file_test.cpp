// SPDX-License-Identifier: Apache-2.0
#include "history/files/tree_file.hpp"

#include <random>

#include <gmock/gmock.h>

#include "base/codes.hpp"
#include "history/exchange.hpp"

namespace polytrace::history {
namespace {

using base::Code;

Code fault(std::string_view text) {
  base::Notices notices;
  const auto file = parse_tree(text, notices);
  EXPECT_FALSE(file.has_value());
  return file ? Code::usage : file.error().code;
}

std::string path_of(const Tree& tree, Key key) { return tree.path(tree.node(key)); }

constexpr std::string_view kWhole = R"({"format":"state-tree","version":1,"minor":0,)"
                                    R"("history_id":"9f86d081884c7d659a2feaa0c55ad015",
"root":{"key":0,"children":{
"Threads":{"key":1,"children":{
"390":{"key":2},
"a/b * \"\u0000":{"key":5}}},
"CPUS":{"key":7},
"folder":{"children":{
"x":{"key":3}}}}}}
)";

TEST(tree_file, reads_what_it_wrote_byte_for_byte) {
  base::Notices notices;
  const auto file = parse_tree(kWhole, notices);
  ASSERT_TRUE(file);
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(path_of(file->tree, 2), "Threads/390");
  EXPECT_EQ(file->tree.name(file->tree.node(5)), std::string_view("a/b * \"\0", 8));
  EXPECT_EQ(*to_json(file->tree, file->history_id), kWhole);
}

TEST(tree_file, siblings_are_written_by_ascending_key) {
  Tree tree;
  tree.set_key(tree.child(Tree::kTop, "late"), 9);
  tree.child(Tree::kTop, "folder");
  tree.set_key(tree.child(Tree::kTop, "early"), 2);
  EXPECT_EQ(*to_json(tree, ""),
            "{\"format\":\"state-tree\",\"version\":1,\"minor\":0,\n\"root\":{\"key\":0,"
            "\"children\":{\n\"early\":{\"key\":2},\n\"late\":{\"key\":9},\n\"folder\":{}}}}\n");
}

// The mail lost the lines that hold nothing but brackets.
TEST(tree_file, takes_the_proposal_verbatim_and_says_what_it_added) {
  base::Notices notices;
  const auto file = parse_tree(test::data("proposal_tree.txt"), notices);
  ASSERT_TRUE(file) << base::to_text(file.error());
  const Tree& tree = file->tree;
  EXPECT_EQ(tree.size(), 25U);
  EXPECT_EQ(path_of(tree, 6), "Threads/390/PPID");
  EXPECT_EQ(path_of(tree, 24), "Threads/1823/PPID");
  EXPECT_EQ(path_of(tree, 7), "CPUS");
  EXPECT_EQ(path_of(tree, 19), "CPUS/2/Soft_IRQs");
  const auto* notice = notices.find(Code::json_malformed);
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->first.line, 14U);
  EXPECT_EQ(notice->bytes, 0U);
}

TEST(tree_file, takes_the_root_without_braces_around_it) {
  base::Notices notices;
  const auto file = parse_tree(R"( "root": {"key": 0, "children": {"a": {"key": 1}}} )", notices);
  ASSERT_TRUE(file);
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(path_of(file->tree, 1), "a");
}

TEST(tree_file, half_a_surrogate_pair_is_replaced_with_a_notice) {
  base::Notices notices;
  const auto file = parse_tree(
      R"({"root": {"children": {"a\ud800b": {"key": 1}, "\ud83d\ude00": {"key": 2}}}})", notices);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->tree.name(file->tree.node(1)),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(file->tree.name(file->tree.node(2)), "😀");
  ASSERT_NE(notices.find(Code::text_ill_formed), nullptr);
  EXPECT_EQ(notices.find(Code::text_ill_formed)->count, 1U);
}

TEST(tree_file, bytes_that_are_not_utf8_are_replaced_with_a_notice) {
  base::Notices notices;
  const auto file = parse_tree("{\"root\": {\"children\": {\"a\xff\": {\"key\": 1}}}}", notices);
  ASSERT_TRUE(file);
  EXPECT_EQ(path_of(file->tree, 1), "a\xef\xbf\xbd");
  EXPECT_NE(notices.find(Code::text_ill_formed), nullptr);
}

TEST(tree_file, refuses_what_breaks_the_schema) {
  for (const char* text :
       {"[]", "{}", R"({"root": 1})", R"({"root": {"key": 1}})", R"({"root": {"children": []}})",
        R"({"root": {"children": {"": {}}}})", R"({"root": {"children": {"a": 1}}})",
        R"({"root": {"children": {"a": {"key": 0}}}})",
        R"({"root": {"children": {"a": {"key": 1}, "b": {"key": 1}}}})",
        R"({"root": {"children": {"a": {}, "a": {}}}})",
        R"({"root": {"children": {"a": {"key": 4294967295}}}})",
        R"({"root": {"children": {"a": {"key": "1"}}}})",
        R"({"root": {"children": {"a": {"key": 1, "key": 1}}}})"})
    EXPECT_EQ(fault(text), Code::json_malformed) << text;
  EXPECT_EQ(fault(R"({"version": 9, "root": {}})"), Code::version_unsupported);
}

std::string chain(std::size_t levels) {
  std::string text = "{\"root\": {";
  for (std::size_t i = 0; i < levels; ++i) text += "\"children\": {\"x\": {";
  for (std::size_t i = 0; i < levels; ++i) text += "}}";
  return text += "}}";
}

TEST(tree_file, ten_thousand_levels_go_both_ways) {
  base::Notices notices;
  const auto file = parse_tree(chain(kMostTreeDepth), notices);
  ASSERT_TRUE(file) << base::to_text(file.error());
  EXPECT_EQ(file->tree.size(), kMostTreeDepth + 1);
  const auto text = to_json(file->tree, "");
  ASSERT_TRUE(text);
  const auto again = parse_tree(*text, notices);
  ASSERT_TRUE(again);
  EXPECT_EQ(*to_json(again->tree, ""), *text);
  EXPECT_TRUE(notices.empty());
}

TEST(tree_file, deeper_trees_are_refused_both_ways) {
  EXPECT_EQ(fault(chain(kMostTreeDepth + 1)), Code::limit_exceeded);
  EXPECT_EQ(fault(chain(1'000'000)), Code::limit_exceeded);
  const std::string open(1'000'000, '[');
  EXPECT_EQ(fault("{\"x\":" + open + std::string(1'000'000, ']') + "}"), Code::limit_exceeded);
  EXPECT_EQ(fault("{\"root\":" + open), Code::json_malformed);
  Tree tree;
  Tree::Node node = Tree::kTop;
  for (std::size_t i = 0; i <= kMostTreeDepth; ++i) node = tree.child(node, "x");
  EXPECT_EQ(to_json(tree, "").error().code, Code::limit_exceeded);
}

TEST(tree_file, random_trees_come_back) {
  std::mt19937_64 engine(1);
  for (int round = 0; round < 200; ++round) {
    Tree tree;
    std::vector<Tree::Node> nodes{Tree::kTop};
    for (Key key = 1; key < 40; ++key) {
      const auto parent = nodes[engine() % nodes.size()];
      const auto node = tree.child(parent, "n" + test::awkward_text(engine));
      if (engine() % 5 != 0) tree.set_key(node, key);
      nodes.push_back(node);
    }
    const auto text = to_json(tree, "id");
    base::Notices notices;
    const auto again = parse_tree(*text, notices);
    ASSERT_TRUE(again) << *text;
    EXPECT_EQ(*to_json(again->tree, "id"), *text);
    for (Key key = 0; key < 40; ++key) {
      if (tree.node(key) == Tree::kNone) EXPECT_EQ(again->tree.node(key), Tree::kNone);
      else EXPECT_EQ(path_of(again->tree, key), path_of(tree, key));
    }
  }
}

}  // namespace
}  // namespace polytrace::history
