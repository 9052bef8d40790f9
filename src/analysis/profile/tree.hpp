// SPDX-License-Identifier: Apache-2.0
// A profile that grows: threads, below them frames by method. One thread at a time.
#pragma once

#include "analysis/profile/profile.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

class ProfileTree {
 public:
  // Frames that are no method.
  static constexpr std::uint32_t kFrameless = NameTable::kNone;
  static constexpr std::uint32_t kUnmanaged = NameTable::kNone - 1;

  // `frameless` is the name of the frame for what has none.
  ProfileTree(const Names& names, bool show_helpers, std::string_view frameless)
      : names_(names), show_helpers_(show_helpers), frameless_(frameless) {}

  // The node of a thread, by any number that the maker has for it.
  std::uint32_t thread(std::uint32_t number) { return known_child(Profile::kRoot, number); }
  // A hidden helper's is that of its caller.
  std::uint32_t child(std::uint32_t parent, std::uint32_t method) {
    return hides(method) ? parent : known_child(parent, method);
  }
  // The same of a method that has not been called from there and is to be shown: faster.
  std::uint32_t new_child(std::uint32_t parent, std::uint32_t method) {
    if (is_full()) return known_child(parent, method);
    nodes_.push_back({parent, method});
    return size() - 1;
  }
  // Then what is new is below its thread: "(other paths) > method".
  static constexpr std::uint32_t kMaxNodes = std::uint32_t{1} << 23;
  bool is_full() const { return size() >= kMaxNodes; }
  static std::string limit();
  // The node of a stack of another tree, below a thread's.
  std::uint32_t path(std::uint32_t thread, const StackTree& from, std::uint32_t stack);
  // What has no frame counts for a frame that says so.
  void add(std::uint32_t node, const Amount& amount);

  // Parents first, threads one after the other. Profile::Thread::id is the maker's number.
  // Frames have the places (file and line) that stand by method index in `places`.
  void fill(Profile& profile, std::span<const Profile::Frame> places) const;

 private:
  bool hides(std::uint32_t method) const {
    return !show_helpers_ && method < names_.methods().size() && names_.is_helper(method);
  }
  std::uint32_t known_child(std::uint32_t parent, std::uint32_t method) {
    if (is_full()) [[unlikely]]
      return child_when_full(parent, method);
    return new_or_known(parent, method);
  }
  std::uint32_t new_or_known(std::uint32_t parent, std::uint32_t method) {
    const auto [entry, fresh] =
        children_.try_emplace((std::uint64_t{parent} << 32) | method, size());
    if (fresh) nodes_.push_back({parent, method});
    return entry->second;
  }
  std::uint32_t child_when_full(std::uint32_t parent, std::uint32_t method);
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::vector<std::uint32_t> places_of_threads() const;  // by their own nodes
  std::vector<std::uint32_t> order_by_thread(std::vector<std::uint32_t>& threads) const;
  Profile::Frame frame(std::uint32_t method, std::span<const Profile::Frame> places) const;

  const Names& names_;
  bool show_helpers_;
  std::string frameless_;
  struct Node {
    std::uint32_t parent;
    std::uint32_t method;  // a thread's number, of a child of the root
  };
  std::vector<Node> nodes_{{Profile::kRoot, kFrameless}};
  base::IdMap<std::uint32_t> children_;  // by parent and method
  std::vector<Amount> amounts_;          // by node; may be shorter
  std::vector<std::uint32_t> path_;
};

}  // namespace polytrace::analysis
