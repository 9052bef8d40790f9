// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {

std::uint32_t ProfileTree::child_when_full(std::uint32_t parent, std::uint32_t method) {
  const auto known = children_.find((std::uint64_t{parent} << 32) | method);
  if (known != children_.end()) return known->second;
  if (parent == Profile::kRoot) return new_or_known(parent, method);
  while (nodes_[parent].parent != Profile::kRoot) parent = nodes_[parent].parent;
  return new_or_known(new_or_known(parent, Names::kOtherPaths), method);
}

std::string ProfileTree::limit() {
  return "the profile has room for " + base::count_text(kMaxNodes, "path", "paths") +
         ": later ones are under \"(other paths)\"; figures by innermost method are whole";
}

std::uint32_t ProfileTree::path(std::uint32_t thread, const StackTree& from, std::uint32_t stack) {
  path_.clear();
  for (; stack != StackTree::kRoot; stack = from.parent(stack)) path_.push_back(from.method(stack));
  std::uint32_t node = thread;
  for (auto method = path_.rbegin(); method != path_.rend(); ++method) node = child(node, *method);
  return node;
}

void ProfileTree::add(std::uint32_t node, const Amount& amount) {
  const bool is_thread = nodes_[node].parent == Profile::kRoot;
  base::slot(amounts_, is_thread ? known_child(node, kFrameless) : node).merge(amount);
}

// Threads by their first event: their numbers depend on how the trace was cut into batches.
std::vector<std::uint32_t> ProfileTree::places_of_threads() const {
  const auto began = [&](std::uint32_t node) {
    const std::uint32_t number = nodes_[node].method;
    const bool is_known = number < names_.threads().size();
    return is_known ? std::pair(names_.threads()[number].first, names_.threads()[number].id)
                    : std::pair(std::numeric_limits<base::Time>::max(), base::Id{number});
  };
  std::vector<std::uint32_t> threads, places(size());
  for (std::uint32_t node = 1; node < size(); ++node)
    if (nodes_[node].parent == Profile::kRoot) threads.push_back(node);
  std::ranges::stable_sort(threads, {}, began);
  for (std::uint32_t i = 0; i < threads.size(); ++i) places[threads[i]] = i;
  return places;
}

// The thread of each node, as the thread's own node; the nodes but those of threads, in order.
std::vector<std::uint32_t> ProfileTree::order_by_thread(std::vector<std::uint32_t>& threads) const {
  std::vector<std::uint32_t> order;
  threads.assign(size(), Profile::kRoot);
  order.reserve(size());
  for (std::uint32_t node = 1; node < size(); ++node) {
    const std::uint32_t parent = nodes_[node].parent;
    threads[node] = parent == Profile::kRoot ? node : threads[parent];
    if (parent != Profile::kRoot) order.push_back(node);
  }
  const std::vector<std::uint32_t> places = places_of_threads();
  std::ranges::stable_sort(order, {}, [&](std::uint32_t node) { return places[threads[node]]; });
  return order;
}

Profile::Frame ProfileTree::frame(std::uint32_t method,
                                  std::span<const Profile::Frame> places) const {
  if (method == kFrameless) return {frameless_};
  if (method == kUnmanaged) return {"(no managed frame)"};
  Profile::Frame frame = method < places.size() ? places[method] : Profile::Frame{};
  frame.name = names_.method_name(method);
  frame.is_helper = names_.is_helper(method);
  return frame;
}

void ProfileTree::fill(Profile& profile, std::span<const Profile::Frame> places) const {
  std::vector<std::uint32_t> threads, numbers(size(), Profile::kRoot);
  tsl::robin_map<std::uint32_t, std::uint32_t> frames;  // by method
  profile.nodes.assign(1, {});
  profile.selfs.assign(1, {});
  std::uint32_t current = Profile::kRoot;
  for (const std::uint32_t node : order_by_thread(threads)) {
    const auto number = static_cast<std::uint32_t>(profile.nodes.size());
    if (std::exchange(current, threads[node]) != threads[node])
      profile.threads.push_back({nodes_[threads[node]].method, {}, number, number});
    const auto [frame, fresh] =
        frames.try_emplace(nodes_[node].method, static_cast<std::uint32_t>(profile.frames.size()));
    if (fresh) profile.frames.push_back(this->frame(nodes_[node].method, places));
    numbers[node] = number;
    profile.nodes.push_back({numbers[nodes_[node].parent], frame->second});
    profile.selfs.push_back(node < amounts_.size() ? amounts_[node] : Amount{});
    profile.threads.back().end = number + 1;
  }
}

}  // namespace polytrace::analysis
