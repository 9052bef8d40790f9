// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "analysis/profile/profile.hpp"

namespace polytrace::analysis {
namespace {

// By node.
struct Marks {
  std::vector<bool> counts;  // it or a caller of it has a chosen name
  std::vector<bool> stays;   // it counts, or calls what does
};

Marks marks_of(const Profile& profile, const event::NameChoice& names) {
  std::vector<bool> chosen(profile.frames.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = names.has(profile.frames[i].name);
  std::vector<bool> counts(profile.nodes.size());
  for (std::size_t node = 1; node < counts.size(); ++node)
    counts[node] = counts[profile.nodes[node].parent] || chosen[profile.nodes[node].frame];
  std::vector<bool> stays = counts;
  for (std::size_t node = stays.size(); node-- > 1;)
    if (stays[node]) stays[profile.nodes[node].parent] = true;
  return {std::move(counts), std::move(stays)};
}

}  // namespace

Profile with_names(const Profile& profile, const event::NameChoice& names) {
  const Marks marks = marks_of(profile, names);
  Profile out = profile;
  out.nodes.assign(1, {});
  out.selfs.assign(1, {});
  std::vector<std::uint32_t> numbers(profile.nodes.size());
  for (Profile::Thread& thread : out.threads) {
    const auto begin = static_cast<std::uint32_t>(out.nodes.size());
    for (std::uint32_t node = thread.begin; node < thread.end; ++node) {
      if (!marks.stays[node]) continue;
      numbers[node] = static_cast<std::uint32_t>(out.nodes.size());
      out.nodes.push_back({numbers[profile.nodes[node].parent], profile.nodes[node].frame});
      out.selfs.push_back(marks.counts[node] ? profile.selfs[node] : Amount{});
    }
    thread.begin = begin;
    thread.end = static_cast<std::uint32_t>(out.nodes.size());
  }
  drop_unused_frames(out);
  return out;
}

}  // namespace polytrace::analysis
