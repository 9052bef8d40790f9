// SPDX-License-Identifier: Apache-2.0
#include "history/model/tree.hpp"

#include <xxhash.h>

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::history {
namespace {

// The first element of `path` as it is written, taken away with the '/' behind it.
std::string_view take_element(std::string_view& path) {
  std::size_t end = 0;
  while (end < path.size() && path[end] != '/') end += path[end] == '\\' ? 2U : 1U;
  const std::string_view element = path.substr(0, end);
  path.remove_prefix(std::min(path.size(), end + 1));
  return element;
}

std::string without_escapes(std::string_view element) {
  std::string name;
  for (std::size_t i = 0; i < element.size(); ++i) {
    if (element[i] == '\\' && i + 1 < element.size()) ++i;
    name += element[i];
  }
  return name;
}

// Whether a '*' stands in an element that does not mean itself.
bool has_wildcard(std::string_view element) {
  for (std::size_t i = 0; i < element.size(); i += element[i] == '\\' ? 2U : 1U)
    if (element[i] == '*') return true;
  return false;
}

// Every '*' of the element tries the shortest part first; only the last one ever needs more.
bool fits(std::string_view element, std::string_view name) {
  std::size_t e = 0;
  std::size_t n = 0;
  std::size_t star = element.npos;
  std::size_t tried = 0;
  while (n < name.size()) {
    const bool escaped = e + 1 < element.size() && element[e] == '\\';
    const std::size_t at = e + (escaped ? 1 : 0);
    if (!escaped && e < element.size() && element[e] == '*') {
      star = e++;
      tried = n;
    } else if (at < element.size() && element[at] == name[n]) {
      e = at + 1;
      ++n;
    } else if (star != element.npos) {
      e = star + 1;
      n = ++tried;
    } else {
      return false;
    }
  }
  while (e < element.size() && element[e] == '*') ++e;
  return e == element.size();
}

void append_escaped(std::string& path, std::string_view name) {
  if (name == "..") path += '\\';
  for (const char c : name) {
    if (c == '/' || c == '\\' || c == '*') path += '\\';
    path += c;
  }
}

void append_element(std::string& path, std::string_view name) {
  if (!path.empty()) path += '/';
  append_escaped(path, name);
}

}  // namespace

std::size_t Tree::PlaceHash::operator()(const Place& place) const {
  return XXH3_64bits_withSeed(place.name.data(), place.name.size(),
                              place.parent ^ base::process_seed());
}

Tree::Tree() : nodes_(1) { set_key(kTop, kRoot); }

Tree::Node Tree::child(Node parent, std::string_view name) {
  if (const Node known = find(parent, name); known != kNone) return known;
  const auto fresh = static_cast<Node>(nodes_.size());
  const std::string_view kept = names_.emplace_back(name);
  places_.emplace(Place{parent, kept}, fresh);
  nodes_.push_back({.parent = parent, .depth = nodes_[parent].depth + 1, .name = kept});
  Entry& above = nodes_[parent];
  if (above.first_child == kNone) above.first_child = fresh;
  else nodes_[above.last_child].next_sibling = fresh;
  above.last_child = fresh;
  return fresh;
}

Tree::Node Tree::find(Node parent, std::string_view name) const {
  const auto found = places_.find(Place{parent, name});
  return found == places_.end() ? kNone : found->second;
}

bool Tree::set_key(Node node, Key key) {
  if (nodes_[node].key == key) return true;
  if (nodes_[node].key != kNoKey || !keyed_.emplace(key, node).second) return false;
  nodes_[node].key = key;
  return true;
}

Tree::Node Tree::node(Key key) const {
  const auto found = keyed_.find(key);
  return found == keyed_.end() ? kNone : found->second;
}

std::vector<Tree::Node> Tree::subtree(Node node) const {
  std::vector<Node> all{node};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (Node at = first_child(all[i]); at != kNone; at = next_sibling(at)) all.push_back(at);
  }
  return all;
}

std::string Tree::path(Node node) const {
  std::vector<std::string_view> names;
  for (; node != kTop; node = parent(node)) names.push_back(name(node));
  std::ranges::reverse(names);
  return join_path(names);
}

std::vector<Tree::Node> Tree::step(const std::vector<Node>& from, std::string_view element) const {
  std::vector<Node> to;
  for (const Node node : from) {
    if (element == "**") {
      const std::vector<Node> below = subtree(node);
      to.insert(to.end(), below.begin(), below.end());
    } else if (has_wildcard(element)) {
      for (Node at = first_child(node); at != kNone; at = next_sibling(at))
        if (fits(element, name(at))) to.push_back(at);
    } else if (const Node at =
                   element == ".." ? parent(node) : find(node, without_escapes(element));
               at != kNone) {
      to.push_back(at);
    }
  }
  std::ranges::sort(to);
  to.erase(std::unique(to.begin(), to.end()), to.end());
  return to;
}

std::vector<Tree::Node> Tree::match(std::string_view path) const {
  if (path.starts_with('/')) path.remove_prefix(1);
  std::vector<Node> nodes{kTop};
  while (!path.empty()) nodes = step(nodes, take_element(path));
  return nodes;
}

base::result<Tree::Node> Tree::make(std::string_view path) {
  const std::string_view whole = path;
  if (path.starts_with('/')) path.remove_prefix(1);
  Node node = kTop;
  while (!path.empty()) {
    const std::string_view element = take_element(path);
    if (element.empty() || element == "*" || element == "**" || element == "..")
      return base::fail(base::Code::key_unknown, "no path to one node: " + std::string(whole));
    if (depth(node) >= kMostTreeDepth)
      return base::fail(base::Code::limit_exceeded, "a path of too many names");
    node = child(node, without_escapes(element));
  }
  return node;
}

std::optional<std::vector<std::string>> plain_names(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::string_view element = take_element(path);
    if (element == ".." || has_wildcard(element)) return std::nullopt;
    names.push_back(without_escapes(element));
  }
  return names;
}

std::string join_path(std::span<const std::string_view> names) {
  std::string path;
  for (const std::string_view name : names) append_element(path, name);
  return path;
}

}  // namespace polytrace::history
