// SPDX-License-Identifier: Apache-2.0
// The attribute tree: names for keys (docs/formats/state-history.md, "tree.json"). Every node may
// have a key of its own; the root's is 0. Names are any non-empty texts; siblings differ.
// A path is written with '/' between names; '\' before '/', '\', '*' or '.' takes it literally; an
// element "*" stands for every child, "**" for a node and all below it, ".." for the parent; a '*'
// beside other characters for any part of a name. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/seeded_hash.hpp"
#include "history/model/value.hpp"

namespace polytrace::history {

// Levels of nodes below the root that a history may have: paths of all nodes together take the
// square of it.
inline constexpr std::size_t kMostTreeDepth = 10'000;

class Tree {
 public:
  // A place in the tree, dense from 0 (the root) in order of creation.
  using Node = std::uint32_t;
  static constexpr Node kTop = 0;
  static constexpr Node kNone = ~Node{0};

  Tree();

  // The child of that name; created, without a key, when there is none. REQUIRES: name not empty.
  Node child(Node parent, std::string_view name);
  // kNone when there is none.
  Node find(Node parent, std::string_view name) const;

  // Gives a node a key. False when the node has another one or another node has that one.
  bool set_key(Node node, Key key);
  // kNoKey for a node without one.
  Key key(Node node) const { return nodes_[node].key; }
  // kNone for a key that names no node.
  Node node(Key key) const;

  Node parent(Node node) const { return nodes_[node].parent; }          // kNone for the root
  std::string_view name(Node node) const { return nodes_[node].name; }  // "" for the root
  Node first_child(Node node) const { return nodes_[node].first_child; }
  Node next_sibling(Node node) const { return nodes_[node].next_sibling; }
  std::size_t depth(Node node) const { return nodes_[node].depth; }  // 0 of the root
  std::size_t size() const { return nodes_.size(); }

  // The node itself and all below it, parents before children.
  std::vector<Node> subtree(Node node) const;
  // As a path from the root, without a leading '/'; "" for the root.
  std::string path(Node node) const;
  // All nodes a path fits, each once, in order of creation. A leading '/' is allowed.
  std::vector<Node> match(std::string_view path) const;
  // The one node of a path without wildcards; created where it is missing. Errors:
  // key_unknown for wildcards, limit_exceeded beyond kMostTreeDepth.
  base::result<Node> make(std::string_view path);

 private:
  struct Entry {
    Node parent = kNone;
    Node first_child = kNone;
    Node last_child = kNone;
    Node next_sibling = kNone;
    Key key = kNoKey;
    std::uint32_t depth = 0;
    std::string_view name{};  // in names_
  };
  struct Place {
    Node parent;
    std::string_view name;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const;
  };

  std::vector<Node> step(const std::vector<Node>& from, std::string_view element) const;

  std::vector<Entry> nodes_;
  std::deque<std::string> names_;
  tsl::robin_map<Place, Node, PlaceHash> places_;
  tsl::robin_map<Key, Node, base::SeededHash> keyed_;
};

// The names of a path that fits one node at most; nothing for one with wildcards or "..".
std::optional<std::vector<std::string>> plain_names(std::string_view path);
// Names joined to a path; what would be read as syntax is escaped.
std::string join_path(std::span<const std::string_view> names);

}  // namespace polytrace::history
