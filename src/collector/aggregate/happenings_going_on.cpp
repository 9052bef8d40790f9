// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/slot.hpp"
#include "collector/aggregate/happenings.hpp"

namespace polytrace::collector {
namespace {

using slice::Names;
using slice::StackTree;

// Nodes that stand for no method are left out.
std::vector<base::Id> methods_of(const StackTree& tree, std::uint32_t node, const Names& names) {
  std::vector<base::Id> methods;
  for (; node != StackTree::kRoot; node = tree.parent(node))
    if (tree.method(node) < names.methods().size())
      methods.push_back(names.methods().id(tree.method(node)));
  std::ranges::reverse(methods);
  return methods;
}

GoingOn::Thread& thread_of(GoingOn& going_on, base::Id id) {
  const auto known = std::ranges::find(going_on.threads, id, &GoingOn::Thread::id);
  if (known != going_on.threads.end()) return *known;
  return going_on.threads.emplace_back(GoingOn::Thread{.id = id});
}

}  // namespace

void Happenings::add_to(GoingOn& going_on, const Names& names) const {
  going_on.tells_stops = tells_stops_;
  going_on.tells_cpu = tells_cpu_;
  for (std::uint32_t i = 0; i < waiting_.size(); ++i) {
    const Waiting& waiting = waiting_[i];
    if (waiting.start == base::kNoTime) continue;
    GoingOn::Thread& thread = thread_of(going_on, names.threads()[i].id);
    thread.waits = waiting.start;
    thread.lock_stack = methods_of(locks_.get(), waiting.spot.node, names);
    if (waiting.spot.subject != Spot::kNoClass)
      thread.lock_class = names.classes().id(waiting.spot.subject);
  }
  for (std::uint32_t i = 0; i < pausing_.size(); ++i) {
    Pausing pausing = pausing_[i];
    if (!pausing.stop.is_open() && pausing.depth == 0) continue;
    GoingOn::Thread& thread = thread_of(going_on, names.threads()[i].id);
    thread.stopped = pausing.stop.end();
    thread.collects = pausing.collection.end();
    thread.collections = pausing.depth;
  }
}

void Happenings::go_on(const GoingOn& going_on, std::span<const std::uint32_t> threads,
                       const Names& names) {
  tells_stops_ = going_on.tells_stops;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const GoingOn::Thread& thread = going_on.threads[i];
    if (thread.waits != base::kNoTime) {
      std::uint32_t node = StackTree::kRoot;
      for (const base::Id method : thread.lock_stack)
        node = locks_.made().child(node, names.methods().index(method));
      base::slot(waiting_, threads[i]) = {thread.waits, spot(node, thread.lock_class, names)};
    }
    if (thread.stopped == base::kNoTime && thread.collections == 0) continue;
    Pausing& pausing = base::slot(pausing_, threads[i]);
    if (thread.stopped != base::kNoTime) pausing.stop.begin(thread.stopped);
    if (thread.collects != base::kNoTime) pausing.collection.begin(thread.collects);
    pausing.depth = thread.collections;
  }
}

}  // namespace polytrace::collector
