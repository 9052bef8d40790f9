// SPDX-License-Identifier: Apache-2.0
#include "fleet/profile_of_rows.hpp"

#include <fmt/format.h>

#include "base/child_index.hpp"
#include "base/id_table.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Profile;

// Deeper stacks are cut at their outermost end: no writer may send one without end.
constexpr std::size_t kDeepestStack = 65'536;

class ProfileMaker {
 public:
  ProfileMaker(const Frames& frames, const analysis::Weight& weight) : frames_(frames) {
    profile_.weight = &weight;
    profile_.nodes.resize(1);
    profile_.selfs.resize(1);
  }

  void add(const StackRow& row) {
    const auto* const stack = frames_.stack(row.stack);
    if (stack == nullptr || stack->empty()) return add_lost(row);
    std::uint32_t node = Profile::kRoot;
    for (std::size_t i = std::min(stack->size(), kDeepestStack); i-- > 0;)
      node = child(node, frame_of((*stack)[i]));
    profile_.selfs[node].add(row.count, row.weight);
  }
  void add_named(const std::string& name, std::uint64_t count, std::uint64_t weight) {
    const std::uint32_t frame = named(name);
    profile_.selfs[child(Profile::kRoot, frame)].add(count, weight);
  }
  Profile take() {
    const auto end = static_cast<std::uint32_t>(profile_.nodes.size());
    profile_.threads.push_back({.begin = 1, .end = end});
    if (lost_ != 0)
      profile_.notes.push_back(fmt::format("{} of which the store does not know the frames",
                                           base::count_text(lost_, "stack", "stacks")));
    if (unnamed_ != 0)
      profile_.notes.push_back(fmt::format("{} of which the store does not know the name",
                                           base::count_text(unnamed_, "frame", "frames")));
    return std::move(profile_);
  }

 private:
  void add_lost(const StackRow& row) {
    ++lost_;
    add_named("(unknown stack)", row.count, row.weight);
  }
  std::uint32_t child(std::uint32_t parent, std::uint32_t frame) {
    const std::uint32_t there = children_.find(parent, frame, [&](std::uint32_t node) {
      return profile_.nodes[node].parent == parent && profile_.nodes[node].frame == frame;
    });
    if (there != base::ChildIndex::kNone) return there;
    const auto made = static_cast<std::uint32_t>(profile_.nodes.size());
    profile_.nodes.push_back({parent, frame});
    profile_.selfs.emplace_back();
    children_.put(made);
    return made;
  }
  std::uint32_t frame_of(std::uint64_t id) {
    const std::uint32_t known = by_id_.index(id);
    if (known < of_id_.size()) return of_id_[known];
    const FrameText* const text = frames_.find(id);
    if (text == nullptr) ++unnamed_;
    of_id_.push_back(static_cast<std::uint32_t>(profile_.frames.size()));
    profile_.frames.push_back(text == nullptr ? Profile::Frame{frames_.name(id)}
                                              : Profile::Frame{text->name, text->file, text->line});
    return of_id_.back();
  }
  std::uint32_t named(const std::string& name) {
    const auto [entry, fresh] =
        by_name_.try_emplace(name, static_cast<std::uint32_t>(profile_.frames.size()));
    if (fresh) profile_.frames.push_back({name});
    return entry->second;
  }

  const Frames& frames_;
  Profile profile_;
  base::ChildIndex children_;
  base::IdTable by_id_;
  std::vector<std::uint32_t> of_id_;  // frames of the profile
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::uint64_t lost_ = 0, unnamed_ = 0;
};

}  // namespace

Profile profile_of_rows(const std::vector<StackRow>& rows, const Frames& frames,
                        const analysis::Weight& weight, std::uint64_t more_count,
                        std::uint64_t more_weight) {
  ProfileMaker maker(frames, weight);
  for (const StackRow& row : rows) maker.add(row);
  if (more_count != 0 || more_weight != 0) maker.add_named("(... more)", more_count, more_weight);
  return maker.take();
}

}  // namespace polytrace::fleet
