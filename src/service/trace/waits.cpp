// SPDX-License-Identifier: Apache-2.0
#include "service/trace/waits.hpp"

#include <algorithm>
#include <unordered_map>

#include "analysis/threads/lock_graph.hpp"

namespace polytrace::service {
namespace {

using analysis::LockGraph;

enum Column : std::size_t { kOwner, kClass, kPath, kClassId };

// Who waited for one lock is told apart by it; what a graph does not keep stands beside.
class WaitList {
 public:
  WaitList(const IndexedTrace& trace, const TracePart& part) : trace_(trace), part_(part) {
    // The last one of an id; events of no thread hold nothing.
    for (std::uint32_t i = 0; i < trace.threads(); ++i) threads_[trace.thread_id(i)] = i;
    threads_.erase(base::kNoId);
    for (std::uint32_t i = 0; i < trace.classes(); ++i)
      class_ids_[trace.store().entities().of(store::EntitySort::class_, i).id] = i;
  }

  void add(const store::Interval& interval) {
    const auto [place, fresh] =
        locks_.try_emplace(interval.subject, static_cast<std::uint32_t>(locks_.size()));
    if (fresh) objects_.push_back(interval.subject), classes_.push_back(store::kNoIndex);
    if (classes_[place->second] == store::kNoIndex) classes_[place->second] = class_of(interval);
    const auto owner = threads_.find(interval.begun[kOwner]);
    graph_.add({.lock = place->second,
                .thread = interval.thread,
                .owner = owner == threads_.end() ? LockGraph::kNone : owner->second,
                .site = site_of(interval.begun[kPath]),
                .start = interval.start,
                .end = interval.end,
                .got_it = interval.how == store::Interval::How::ended});
    if (interval.how == store::Interval::How::open)
      open_.push_back({interval.thread, interval.start});
  }
  LockWaits take(std::uint64_t limit) {
    graph_.finish();
    LockWaits made;
    for (std::uint32_t i = 0; i < graph_.waits().size(); ++i)
      if (is_wanted(graph_.waits()[i])) made.waits.push_back(wait_of(graph_.waits()[i], i));
    std::ranges::stable_sort(made.waits, std::ranges::greater{}, [](const LockWait& wait) {
      return base::elapsed(wait.start, wait.end);
    });
    made.left_out = graph_.left_out();
    if (made.waits.size() > limit) {
      made.left_out += made.waits.size() - limit;
      made.waits.resize(limit);
    }
    return made;
  }

 private:
  struct Begun {
    std::uint32_t thread;
    base::Time start;
    bool operator==(const Begun&) const = default;
  };

  std::uint32_t class_of(const store::Interval& interval) const {
    const auto told = class_ids_.find(interval.begun[kClassId]);
    if (told != class_ids_.end()) return told->second;
    if (interval.begun[kClass] < store::kNoIndex)
      return static_cast<std::uint32_t>(interval.begun[kClass]);
    return trace_.store().frames().lock_class(interval.subject);
  }
  bool is_wanted(const LockGraph::Wait& wait) const {
    return part_.threads.empty() ||
           std::ranges::find(part_.threads, wait.thread) != part_.threads.end();
  }
  std::uint32_t site_of(std::uint64_t told) const {
    const store::Paths& paths = trace_.store().paths();
    if (told >= paths.size()) return store::kNoMethod;
    auto path = static_cast<std::uint32_t>(told);
    while (path != store::kEmptyPath && trace_.is_helper(paths.method(path)))
      path = paths.parent(path);
    return paths.method(path);
  }
  LockWait wait_of(const LockGraph::Wait& wait, std::uint32_t number) const {
    LockWait made{
        .thread = wait.thread,
        .lock = objects_[wait.lock],
        .start = trace_.offset(wait.start),
        .end = trace_.offset(wait.end),
        .is_open = std::ranges::find(open_, Begun{wait.thread, wait.start}) != open_.end(),
        .got_it = wait.got_it,
        .method = wait.site};
    if (classes_[wait.lock] != store::kNoIndex)
      made.class_name = trace_.class_name(classes_[wait.lock]);
    const auto held =
        std::ranges::equal_range(graph_.holdings(), number, {}, &LockGraph::Holding::wait);
    for (const LockGraph::Holding& one : held)
      made.holders.push_back({one.holder, trace_.offset(one.from), trace_.offset(one.to),
                              one.holder == wait.owner && one.from == wait.start});
    return made;
  }

  const IndexedTrace& trace_;
  const TracePart& part_;
  std::unordered_map<base::Id, std::uint32_t> threads_;
  std::unordered_map<base::Id, std::uint32_t> class_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> locks_;
  std::vector<base::Id> objects_;       // by lock
  std::vector<std::uint32_t> classes_;  // by lock
  std::vector<Begun> open_;
  LockGraph graph_;
};

}  // namespace

base::result<LockWaits> lock_waits(const IndexedTrace& trace, const TracePart& part,
                                   std::uint64_t limit) {
  WaitList list(trace, part);
  store::Range range = range_of(trace, part);
  range.threads.clear();  // whoever waits may get the lock from anybody
  const auto seen = trace.store().intervals(
      slice::SpanKind::lock, range,
      {store::field_number(event::Kind::Monitor, "owner"), store::kKnownClassField,
       store::kPathField, store::field_number(event::Kind::Monitor, "class_id")},
      [&](const store::Interval& interval) { list.add(interval); });
  if (!seen) return base::Unexpected(seen.error());
  return list.take(limit);
}

}  // namespace polytrace::service
