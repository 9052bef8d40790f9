// SPDX-License-Identifier: Apache-2.0
#include <tsl/robin_map.h>

#include "analysis/profile/profile.hpp"
#include "analysis/table/names_alike.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {
namespace {

class Union {
 public:
  Union(const Profile& like, bool exact_names) : exact_names_(exact_names) {
    out_.weight = like.weight;
    out_.first = like.first;
    out_.last = like.last;
    out_.notes = like.notes;
    out_.limits = like.limits;
    out_.nodes.assign(1, {});
    out_.selfs.assign(1, {});
    out_.befores.assign(1, {});
  }

  // Adds the tree; into(node) is where an amount of a node of the union goes.
  template <class Into>
  void add(const Profile& from, const Into& into) {
    std::vector<std::uint32_t> frames, nodes(from.nodes.size());
    for (const Profile::Frame& frame : from.frames) frames.push_back(frame_number(frame));
    for (std::uint32_t i = 1; i < from.nodes.size(); ++i) {
      const auto [parent, frame] = from.nodes[i];
      nodes[i] = child(nodes[parent], frames[frame]);
      into(nodes[i]).merge(from.selfs[i]);
    }
  }
  Profile take() {
    out_.threads = {{base::kNoId, {}, 1, static_cast<std::uint32_t>(out_.nodes.size())}};
    return std::move(out_);
  }
  Profile& profile() { return out_; }

 private:
  std::uint32_t frame_number(const Profile::Frame& frame) {
    const auto number = static_cast<std::uint32_t>(out_.frames.size());
    std::string name = exact_names_ ? frame.name : alike(frame.name, NameKind::method);
    const auto [entry, fresh] = frames_.try_emplace(std::move(name), number);
    if (fresh) out_.frames.push_back(frame);
    return entry->second;
  }
  std::uint32_t child(std::uint32_t parent, std::uint32_t frame) {
    const auto number = static_cast<std::uint32_t>(out_.nodes.size());
    const auto [entry, fresh] =
        children_.try_emplace((std::uint64_t{parent} << 32) | frame, number);
    if (!fresh) return entry->second;
    out_.nodes.push_back({parent, frame});
    out_.selfs.emplace_back();
    out_.befores.emplace_back();
    return number;
  }

  bool exact_names_;
  Profile out_;
  tsl::robin_map<std::string, std::uint32_t, base::SeededHash> frames_;  // by name
  base::IdMap<std::uint32_t> children_;                                  // by parent and frame
};

}  // namespace

Profile compared(const Profile& now, const Profile& before, bool exact_names) {
  Union both(now, exact_names);
  Profile& out = both.profile();
  both.add(now, [&](std::uint32_t node) -> Amount& { return out.selfs[node]; });
  both.add(before, [&](std::uint32_t node) -> Amount& { return out.befores[node]; });
  return both.take();
}

}  // namespace polytrace::analysis
