// SPDX-License-Identifier: Apache-2.0
#include "history/files/tree_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/json_writer.hpp"
#include "history/files/json_document.hpp"
#include "history/files/json_head.hpp"

namespace polytrace::history {
namespace {

constexpr std::string_view kTreeFormat = "state-tree";

base::Unexpected too_deep() {
  return base::fail(base::Code::limit_exceeded,
                    fmt::format("a tree of more than {} levels", kMostTreeDepth));
}

class TreeReader {
 public:
  explicit TreeReader(Tree& tree) : tree_(tree) {}

  base::result<void> run(JsonElement root) {
    if (auto done = enter(Tree::kTop, root); !done) return done;
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.at == level.end) {
        levels_.pop_back();
        continue;
      }
      const auto field = *level.at;
      ++level.at;
      if (auto done = add(level.node, field.key, field.value); !done) return done;
    }
    return {};
  }

 private:
  // The children of a node, some of them still to come.
  struct Level {
    Tree::Node node;
    JsonObject::iterator at;
    JsonObject::iterator end;
  };

  base::result<void> add(Tree::Node parent, std::string_view name, JsonElement element) {
    if (name.empty()) return malformed("a node without a name", tree_.path(parent));
    const std::size_t size = tree_.size();
    const Tree::Node node = tree_.child(parent, name);
    if (tree_.size() == size) return malformed("a node twice", tree_.path(node));
    return enter(node, element);
  }

  base::result<void> enter(Tree::Node node, JsonElement element) {
    JsonObject object;
    if (element.get(object) != simdjson::SUCCESS)
      return malformed("a node that is no object", tree_.path(node));
    std::array<std::optional<JsonElement>, 2> found{};
    constexpr std::array<std::string_view, 2> kNames{"key", "children"};
    // The path is made for a fault only: making it always would cost the square of the depth.
    if (auto done = pick(object, kNames, found, {}); !done)
      return malformed(done.error().detail, tree_.path(node));
    const auto& [key, children] = found;
    if (key && !set_key(node, *key))
      return malformed("\"key\" is no key, or another node's", tree_.path(node));
    return children ? descend(node, *children) : base::result<void>();
  }

  bool set_key(Tree::Node node, JsonElement element) {
    const auto key = as_key(element);
    return key && tree_.set_key(node, *key);
  }

  base::result<void> descend(Tree::Node node, JsonElement element) {
    JsonObject children;
    if (element.get(children) != simdjson::SUCCESS)
      return malformed("\"children\" is no object", tree_.path(node));
    if (levels_.size() >= kMostTreeDepth) return too_deep();
    levels_.push_back({node, children.begin(), children.end()});
    return {};
  }

  Tree& tree_;
  std::vector<Level> levels_{};
};

class TreeWriter {
 public:
  TreeWriter(const Tree& tree, base::JsonWriter& json) : tree_(tree), json_(json) {}

  // False for a tree that is too deep.
  bool run() {
    begin(Tree::kTop);
    while (!levels_.empty()) {
      if (levels_.size() > kMostTreeDepth + 1) return false;
      std::vector<Tree::Node>& waiting = levels_.back();
      if (waiting.empty()) {
        end();
        continue;
      }
      const Tree::Node node = waiting.back();
      waiting.pop_back();
      json_.new_line();
      json_.key(tree_.name(node));
      begin(node);
    }
    return true;
  }

 private:
  void begin(Tree::Node node) {
    json_.begin_object();
    if (tree_.key(node) != kNoKey) json_.member("key", tree_.key(node));
    levels_.push_back(children(node));
    has_children_.push_back(!levels_.back().empty());
    if (!has_children_.back()) return;
    json_.key("children");
    json_.begin_object();
  }

  void end() {
    if (has_children_.back()) json_.end_object();
    json_.end_object();
    has_children_.pop_back();
    levels_.pop_back();
  }

  // The last one comes first: kNoKey is the greatest key.
  std::vector<Tree::Node> children(Tree::Node node) const {
    std::vector<Tree::Node> all;
    for (Tree::Node at = tree_.first_child(node); at != Tree::kNone; at = tree_.next_sibling(at))
      all.push_back(at);
    std::ranges::stable_sort(all, {}, [&](Tree::Node at) { return tree_.key(at); });
    std::ranges::reverse(all);
    return all;
  }

  const Tree& tree_;
  base::JsonWriter& json_;
  std::vector<std::vector<Tree::Node>> levels_{};
  std::vector<bool> has_children_{};
};

}  // namespace

base::result<TreeFile> parse_tree(std::string_view text, base::Notices& notices) {
  const auto document = JsonDocument::parse(text, notices);
  if (!document) return base::Unexpected(document.error());
  JsonObject object;
  if (document->root().get(object) != simdjson::SUCCESS) return malformed("is no object");
  auto history_id = check_head(object, kTreeFormat);
  if (!history_id) return base::Unexpected(history_id.error());
  const auto found = members<1>(object, {"root"}, std::string(kTreeFormat));
  if (!found) return base::Unexpected(found.error());
  if (!found->front()) return malformed("\"root\" is missing");
  TreeFile file{.history_id = std::move(*history_id)};
  if (auto read = TreeReader(file.tree).run(*found->front()); !read)
    return base::Unexpected(read.error());
  return file;
}

base::result<std::string> to_json(const Tree& tree, std::string_view history_id) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  json.begin_object();
  write_head(json, kTreeFormat, history_id);
  json.new_line();
  json.key("root");
  if (!TreeWriter(tree, json).run()) return too_deep();
  json.end_object();
  return out += '\n';
}

}  // namespace polytrace::history
