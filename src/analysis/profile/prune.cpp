// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "analysis/profile/profile.hpp"

namespace polytrace::analysis {
namespace {

// Which nodes stay. Heavier nodes come first and a node is never heavier than its caller, so that
// callers of what stays stay.
class Keeping {
 public:
  explicit Keeping(const Profile& profile)
      : profile_(profile), keeps_(profile.nodes.size(), true) {}

  // How many nodes that drops.
  std::uint64_t by_depth(std::uint64_t deepest) {
    std::vector<std::uint32_t> depths(keeps_.size());
    std::uint64_t dropped = 0;
    for (std::uint32_t node = 1; node < keeps_.size(); ++node) {
      depths[node] = depths[profile_.nodes[node].parent] + 1;
      if (deepest == 0 || depths[node] <= deepest) continue;
      keeps_[node] = false;
      ++dropped;
    }
    return dropped;
  }
  std::uint64_t by_weight(std::uint64_t most) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t node = 1; node < keeps_.size(); ++node)
      if (keeps_[node]) order.push_back(node);
    if (most == 0 || order.size() <= most) return 0;
    const std::vector<std::uint64_t> totals = weigh();
    const auto heavier = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint64_t left = totals[a], right = totals[b];
      return left != right ? left > right : a < b;
    };
    const auto rest = order.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(order.begin(), rest, order.end(), heavier);
    for (auto node = rest; node != order.end(); ++node) keeps_[*node] = false;
    return order.size() - most;
  }
  bool operator[](std::uint32_t node) const { return keeps_[node]; }

 private:
  // By node; of compared profiles, whichever is more.
  std::vector<std::uint64_t> weigh() const {
    std::vector<std::uint64_t> weights;
    for (const Amount& total : profile_.totals()) weights.push_back(profile_.value(total));
    if (profile_.befores.empty()) return weights;
    const std::vector<Amount> before = profile_.totals(profile_.befores);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = std::max(weights[i], profile_.value(before[i]));
    return weights;
  }

  const Profile& profile_;
  std::vector<bool> keeps_;
};

// What was cut below one place.
struct Cut {
  Amount amount;
  Amount before;
  std::uint32_t nodes = 0;
};

class Cutter {
 public:
  Cutter(const Profile& from, const Keeping& keeping) : from_(from), keeping_(keeping) {}

  void cut(Pruned& out) {
    out.profile.nodes.assign(1, {});
    out.profile.selfs.assign(1, {});
    if (is_compared()) out.profile.befores.assign(1, {});
    out.hidden.assign(1, 0);
    for (const Profile::Thread& thread : from_.threads) cut_thread(out, thread);
    drop_unused_frames(out.profile);
  }

 private:
  void cut_thread(Pruned& out, const Profile::Thread& thread) {
    Profile& to = out.profile;
    const auto begin = static_cast<std::uint32_t>(to.nodes.size());
    std::vector<std::uint32_t> cut_places;
    for (std::uint32_t node = thread.begin; node < thread.end; ++node) {
      const auto [parent, frame] = from_.nodes[node];
      if (!keeping_[node]) {
        const std::uint32_t place = places_[node] = places_[parent];
        if (place >= cuts_.size()) cuts_.resize(to.nodes.size());
        Cut& cut = cuts_[place];
        if (cut.nodes == 0) cut_places.push_back(place);
        cut.amount.merge(from_.selfs[node]);
        if (is_compared()) cut.before.merge(from_.befores[node]);
        ++cut.nodes;
        continue;
      }
      const std::uint32_t caller = places_[parent];
      places_[node] = static_cast<std::uint32_t>(to.nodes.size());
      to.nodes.push_back({caller, frame});
      to.selfs.push_back(from_.selfs[node]);
      if (is_compared()) to.befores.push_back(from_.befores[node]);
    }
    out.hidden.resize(to.nodes.size());
    std::ranges::sort(cut_places);
    for (const std::uint32_t place : cut_places) {
      const Cut cut = std::exchange(cuts_[place], {});
      to.nodes.push_back({place, more(to)});
      to.selfs.push_back(cut.amount);
      if (is_compared()) to.befores.push_back(cut.before);
      out.hidden.push_back(cut.nodes);
    }
    to.threads.push_back(thread);
    to.threads.back().begin = begin;
    to.threads.back().end = static_cast<std::uint32_t>(to.nodes.size());
  }
  bool is_compared() const { return !from_.befores.empty(); }
  std::uint32_t more(Profile& to) {
    if (more_ != 0) return more_ - 1;
    to.frames.push_back({"(... more)"});
    more_ = static_cast<std::uint32_t>(to.frames.size());
    return more_ - 1;
  }

  const Profile& from_;
  const Keeping& keeping_;
  // By old node: its new number, of one that was cut its caller's.
  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(from_.nodes.size());
  std::vector<Cut> cuts_;   // by place; without nodes, but for the thread at hand
  std::uint32_t more_ = 0;  // the frame's number + 1
};

}  // namespace

Pruned prune(Profile profile, std::uint64_t most, std::uint64_t deepest) {
  Pruned out;
  Keeping keeping(profile);
  out.deeper = keeping.by_depth(deepest);
  out.cut = keeping.by_weight(most);
  if (out.deeper + out.cut == 0) {
    out.hidden.resize(profile.nodes.size());
    out.profile = std::move(profile);
    return out;
  }
  out.profile.weight = profile.weight;
  out.profile.frames = std::move(profile.frames);
  out.profile.first = profile.first;
  out.profile.last = profile.last;
  out.profile.notes = std::move(profile.notes);
  out.profile.limits = std::move(profile.limits);
  Cutter(profile, keeping).cut(out);
  return out;
}

}  // namespace polytrace::analysis
