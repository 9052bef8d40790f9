// SPDX-License-Identifier: Apache-2.0
// Where a weight of a trace was spent, of any part of it: a tree of frames. Of calls it comes from
// the sums of the index, of other weights from its events. Any thread.
#pragma once

#include "analysis/profile/profile.hpp"
#include "service/trace/part.hpp"

namespace polytrace::service {

// What numbers of frames mean: below kThreadFrames indexes of methods, from there on of threads,
// behind kOtherFrames names of what is neither.
inline constexpr std::uint32_t kThreadFrames = std::uint32_t{1} << 30;
inline constexpr std::uint32_t kOtherFrames = std::uint32_t{1} << 31;

struct ProfileTree {
  const analysis::Weight* weight = nullptr;
  analysis::WeighedTree tree{};
  std::vector<std::string> others{};  // names, by number - kOtherFrames
  bool is_read = false;               // from the events: the index has no sums of it
  bool has_parts = false;             // of time: what of it was blocked, waiting or paused
  std::vector<std::string> notes{};
  std::vector<std::string> limits{};
};

struct TreeQuestion {
  TracePart part{};
  const analysis::Weight* weight = nullptr;  // null: the first that the trace has
  bool by_thread = false;
};
// Refusals: usage where the trace has no such weight; those of frames; limit_exceeded when asked
// to stop. Rules are applied.
Asked<ProfileTree> ask_tree(const IndexedTrace& trace, const TreeQuestion& question);

struct FrameName {
  std::string name{};
  std::string package{};
  std::string_view kind{};  // "method", "helper", "thread", "other"
};
FrameName frame_name(const IndexedTrace& trace, const ProfileTree& of, std::uint32_t frame);

// The weights that a trace has anything of, cheaply known from its index.
std::vector<const analysis::Weight*> weights_of(const IndexedTrace& trace);

}  // namespace polytrace::service
