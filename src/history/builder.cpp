// SPDX-License-Identifier: Apache-2.0
#include "history/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "base/codes.hpp"
#include "history/write/build_core.hpp"
#include "history/write/live_view.hpp"
#include "history/write/timelines.hpp"

namespace polytrace::history {

using base::Code;
using base::result;

class Builder::Impl {
 public:
  Impl(std::unique_ptr<BuildCore> core, bool live)
      : core_(std::move(core)), live_(live), view_(*core_) {}

  // Locks only where other threads may ask.
  std::unique_lock<std::shared_mutex> changing() const {
    return live_ ? std::unique_lock(mutex_) : std::unique_lock<std::shared_mutex>();
  }
  std::shared_lock<std::shared_mutex> asking() const {
    return live_ ? std::shared_lock(mutex_) : std::shared_lock<std::shared_mutex>();
  }

  result<std::uint32_t> index_of(Key key) {
    if (key == kNoKey) return base::fail(Code::key_unknown);
    next_ = std::max(next_, key + 1);
    return core_->lines().index(key);
  }
  std::uint32_t find(Key key) const { return core_->lines().keys().find(key); }

  Key key(Key parent, std::string_view name) {
    const Tree::Node node = tree_.child(tree_.node(parent), name);
    if (tree_.key(node) == kNoKey) place(node, next_, parent);
    return tree_.key(node);
  }
  // Gives a node without one a key, and the key its entry.
  void place(Tree::Node node, Key key, Key parent) {
    tree_.set_key(node, key);
    if (parent == kRoot) core_->lines().index(kRoot);
    next_ = std::max(next_, key + 1);
    KeyInfo& info = core_->lines().keys()[core_->lines().index(key)];
    info.listed = false;
    info.parent = parent;
    info.set_name(tree_.name(node));
  }
  // Keys for all nodes from the root down to this one.
  Key key_of(Tree::Node node) {
    std::vector<Tree::Node> way;
    for (; node != Tree::kTop && tree_.key(node) == kNoKey; node = tree_.parent(node))
      way.push_back(node);
    Key key = tree_.key(node);
    for (; !way.empty(); way.pop_back()) {
      place(way.back(), next_, key);
      key = tree_.key(way.back());
    }
    if (key == kRoot) core_->lines().index(kRoot);
    return key;
  }

  BuildCore& core() { return *core_; }
  const BuildCore& core() const { return *core_; }
  Tree& tree() { return tree_; }
  const Tree& tree() const { return tree_; }
  const LiveView& view() const { return view_; }

 private:
  std::unique_ptr<BuildCore> core_;
  bool live_;
  Tree tree_;
  Key next_ = 1;
  LiveView view_;
  mutable std::shared_mutex mutex_;
};

result<Builder> Builder::create(const std::string& path, const BuildOptions& options) {
  auto file = base::FrameFile::create(path, options.replace);
  if (!file) return tl::unexpected(file.error());
  auto core = BuildCore::start(std::move(*file), options);
  if (!core) return tl::unexpected(core.error());
  return Builder(std::make_unique<Impl>(std::move(*core), options.live));
}

Builder::Builder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;
Builder::~Builder() = default;

Key Builder::key(Key parent, std::string_view name) {
  const auto lock = impl_->changing();
  return impl_->key(parent, name);
}

Key Builder::key(std::initializer_list<std::string_view> path) {
  return key(std::span(path.begin(), path.size()));
}

Key Builder::key(std::span<const std::string_view> path) {
  const auto lock = impl_->changing();
  Key at = kRoot;
  for (const std::string_view name : path) at = impl_->key(at, name);
  return at;
}

result<Key> Builder::key(std::string_view path) {
  const auto lock = impl_->changing();
  const auto node = impl_->tree().make(path);
  if (!node) return tl::unexpected(node.error());
  return impl_->key_of(*node);
}

result<void> Builder::name(Key key, Key parent, std::string_view name) {
  const auto lock = impl_->changing();
  Tree& tree = impl_->tree();
  const Tree::Node above = tree.node(parent);
  if (above == Tree::kNone || key == kNoKey || name.empty())
    return base::fail(Code::key_unknown, fmt::format("no place below key {}", parent));
  if (tree.depth(above) >= kMostTreeDepth)
    return base::fail(Code::limit_exceeded,
                      fmt::format("a tree of more than {} levels", kMostTreeDepth));
  const Tree::Node node = tree.child(above, name);
  if (tree.key(node) == key) return {};
  if (tree.key(node) != kNoKey || tree.node(key) != Tree::kNone)
    return base::fail(Code::key_unknown, fmt::format("key {} or its place is taken", key));
  impl_->place(node, key, parent);
  return {};
}

result<void> Builder::declare(Key key, Type type) {
  const auto lock = impl_->changing();
  const auto index = impl_->index_of(key);
  return index ? impl_->core().declare(*index, type) : tl::unexpected(index.error());
}

result<void> Builder::modify(Tick t, Key key, const Value& value) {
  const auto lock = impl_->changing();
  // Straight for keys that are known.
  const std::uint32_t known = impl_->find(key);
  if (known != KeyList::kNone && impl_->core().modify_plain(t, known, value)) return {};
  const auto index = impl_->index_of(key);
  return index ? impl_->core().modify(t, *index, value) : tl::unexpected(index.error());
}

result<void> Builder::insert(Key key, Tick start, Tick end, const Value& value) {
  const auto lock = impl_->changing();
  const auto index = impl_->index_of(key);
  return index ? impl_->core().insert(*index, start, end, value) : tl::unexpected(index.error());
}

result<void> Builder::end(Tick t, Key key) {
  const auto lock = impl_->changing();
  const auto index = impl_->index_of(key);
  return index ? impl_->core().end(t, *index) : tl::unexpected(index.error());
}

Value Builder::ongoing(Key key) const {
  const auto lock = impl_->asking();
  const std::uint32_t index = impl_->find(key);
  if (index == KeyList::kNone) return Value::null();
  return impl_->core().value_of(impl_->core().lines().ongoing(index));
}

result<void> Builder::set_ongoing(Key key, const Value& value) {
  const auto lock = impl_->changing();
  const auto index = impl_->index_of(key);
  return index ? impl_->core().set_ongoing(*index, value) : tl::unexpected(index.error());
}

// A stack is made of the other calls: each is one change to whoever asks meanwhile.

result<void> Builder::push(Tick t, Key key, const Value& value) {
  constexpr std::int64_t kDeepest = 100000;
  if (auto done = impl_->core().settle(); !done) return done;
  const Value held = ongoing(key);
  const std::int64_t depth = held.type() == Type::integer ? held.integer() + 1 : 1;
  if (!held.is_null() && held.type() != Type::integer)
    return base::fail(Code::type_conflict, fmt::format("key {} holds no depth", key));
  if (depth < 1 || depth > kDeepest)
    return base::fail(Code::limit_exceeded, fmt::format("depth {} of key {}", depth, key));
  if (tree().node(key) == Tree::kNone)
    return base::fail(Code::key_unknown, fmt::format("key {} has no place in the tree", key));
  if (auto done = modify(t, key, Value::of(depth)); !done) return done;
  return modify(t, this->key(key, std::to_string(depth)), value);
}

result<Value> Builder::pop(Tick t, Key key) {
  if (auto done = impl_->core().settle(); !done) return tl::unexpected(done.error());
  const Value held = ongoing(key);
  if (held.type() != Type::integer || held.integer() < 1) return Value::null();
  const std::int64_t depth = held.integer();
  const Key child = this->key(key, std::to_string(depth));
  const Value value = ongoing(child);
  if (auto done = remove(t, child); !done) return tl::unexpected(done.error());
  const Value left = depth == 1 ? Value::null() : Value::of(depth - 1);
  if (auto done = modify(t, key, left); !done) return tl::unexpected(done.error());
  return value;
}

result<void> Builder::remove(Tick t, Key key) {
  const Tree::Node node = tree().node(key);
  if (node == Tree::kNone) return modify(t, key, Value::null());
  for (const Tree::Node below : tree().subtree(node)) {
    const Key of_node = tree().key(below);
    if (of_node == kNoKey) continue;
    if (auto done = modify(t, of_node, Value::null()); !done) return done;
  }
  return {};
}

const Tree& Builder::tree() const { return impl_->tree(); }

std::vector<Key> Builder::keys() const {
  const auto lock = impl_->asking();
  const KeyList& keys = impl_->core().lines().keys();
  std::vector<Key> all;
  for (std::uint32_t index = 0; index < keys.size(); ++index) all.push_back(keys[index].key);
  std::ranges::sort(all);
  return all;
}

Type Builder::type(Key key) const {
  const auto lock = impl_->asking();
  const std::uint32_t index = impl_->find(key);
  if (index == KeyList::kNone) return Type::open;
  return static_cast<Type>(impl_->core().lines().keys()[index].code);
}

Facts Builder::facts() const {
  const auto lock = impl_->asking();
  return impl_->core().facts();
}

result<void> Builder::at(Tick t, Key key, Visitor visit) const { return range(key, t, t, visit); }

result<void> Builder::full(Tick t, Visitor visit) const {
  const auto lock = impl_->asking();
  return impl_->view().full(t, visit);
}

result<void> Builder::range(Key key, Tick from, Tick to, Visitor visit) const {
  const auto lock = impl_->asking();
  const std::uint32_t index = impl_->find(key);
  if (index == KeyList::kNone) return base::fail(Code::key_unknown, fmt::format("key {}", key));
  return impl_->view().range(index, from, to, visit);
}

result<void> Builder::flush() {
  const auto lock = impl_->changing();
  if (auto done = impl_->core().settle(); !done) return done;
  return impl_->core().flush();
}

result<void> Builder::close(Tick end) {
  const auto lock = impl_->changing();
  return impl_->core().close(end);
}

}  // namespace polytrace::history
