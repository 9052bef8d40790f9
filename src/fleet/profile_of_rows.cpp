// SPDX-License-Identifier: Apache-2.0
#include "fleet/profile_of_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

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

  // Of paths in their order each shares with the one before all that they have in common: no place
  // of the tree is looked for.
  void add(const std::vector<StackRow>& rows) {
    for (const StackRow& row : rows) {
      const auto* const stack = frames_.stack(row.stack);
      if (stack == nullptr || stack->empty()) add_lost(row);
      else add_path(*stack, row);
    }
    std::ranges::sort(paths_, [&](const Path& a, const Path& b) {
      return std::ranges::lexicographical_compare(frames_of(a), frames_of(b));
    });
    std::span<const std::uint32_t> before;
    std::vector<std::uint32_t> nodes;  // of the path before
    for (const Path& path : paths_) {
      const auto frames = frames_of(path);
      const auto same =
          static_cast<std::size_t>(std::ranges::mismatch(before, frames).in2 - frames.begin());
      nodes.resize(same);
      for (const std::uint32_t frame : frames.subspan(same))
        nodes.push_back(node(nodes.empty() ? Profile::kRoot : nodes.back(), frame));
      profile_.selfs[nodes.back()].add(path.count, path.weight);
      before = frames;
    }
  }
  void add_named(const std::string& name, std::uint64_t count, std::uint64_t weight) {
    profile_.frames.push_back({name});
    const auto frame = static_cast<std::uint32_t>(profile_.frames.size() - 1);
    profile_.selfs[node(Profile::kRoot, frame)].add(count, weight);
  }
  Profile take() {
    if (lost_ != 0) add_named("(unknown stack)", lost_sum_.count, lost_sum_.weight);
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
  struct Path {
    std::size_t first, size;  // of flat_
    std::uint64_t count, weight;
  };

  std::span<const std::uint32_t> frames_of(const Path& path) const {
    return std::span(flat_).subspan(path.first, path.size);
  }
  void add_path(const std::vector<std::uint64_t>& stack, const StackRow& row) {
    const std::size_t size = std::min(stack.size(), kDeepestStack);
    paths_.push_back({flat_.size(), size, row.count, row.weight});
    for (std::size_t i = size; i-- > 0;) flat_.push_back(frame_of(stack[i]));
  }
  void add_lost(const StackRow& row) {
    ++lost_;
    lost_sum_.add(row.count, row.weight);
  }
  std::uint32_t node(std::uint32_t parent, std::uint32_t frame) {
    const auto made = static_cast<std::uint32_t>(profile_.nodes.size());
    profile_.nodes.push_back({parent, frame});
    profile_.selfs.emplace_back();
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

  const Frames& frames_;
  Profile profile_;
  base::IdTable by_id_;
  std::vector<std::uint32_t> of_id_;  // frames of the profile
  std::vector<std::uint32_t> flat_;   // those of all paths, outermost first
  std::vector<Path> paths_;
  analysis::Amount lost_sum_;
  std::uint64_t lost_ = 0, unnamed_ = 0;
};

}  // namespace

Profile profile_of_rows(const std::vector<StackRow>& rows, const Frames& frames,
                        const analysis::Weight& weight, std::uint64_t more_count,
                        std::uint64_t more_weight) {
  ProfileMaker maker(frames, weight);
  maker.add(rows);
  if (more_count != 0 || more_weight != 0) maker.add_named("(... more)", more_count, more_weight);
  return maker.take();
}

}  // namespace polytrace::fleet
