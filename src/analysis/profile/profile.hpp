// SPDX-License-Identifier: Apache-2.0
// Where one weight of a trace was spent: time, calls, samples, bytes ... by distinct stack, as a
// tree whose nodes are places (a frame below its callers), all threads merged or one by one. A
// Profile stands alone: it outlives the trace's names, and two of different traces can be compared
// by the names of their frames.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/table/stack_table.hpp"
#include "base/result.hpp"
#include "event/choice/name_choice.hpp"

namespace polytrace::analysis {

// What events tell it, and which of their two figures it is.
enum class Carrier : std::uint8_t { calls, cpu, samples, allocations, contentions, exceptions };
inline constexpr std::size_t kCarriers = 6;

struct Weight {
  std::string_view key;  // the word for --weight
  std::string_view title;
  Unit unit;
  Carrier carrier;
  bool is_count;  // Amount::count, else Amount::weight
};
// All there are; the first one of these that a trace has is the default.
std::span<const Weight> weights();
// Null when there is none of that name.
const Weight* find_weight(std::string_view key);
// The weight of the same carrier that is a count (or is none); null where there is none.
const Weight* companion(const Weight& weight);
// Whether its events count for the call around them where they have no stack, which takes
// Slicer::follow_calls(). Null, which is the first that the trace has, does not: calls come first.
bool needs_sites(const Weight* weight);
// The kinds of events a profile of the carrier is made from, definitions not among them.
std::span<const event::Kind> kinds_of(Carrier carrier);

class CallTree;

struct Profile {
  static constexpr std::uint32_t kRoot = 0;

  struct Node {
    std::uint32_t parent = kRoot;  // smaller than the node's own number
    std::uint32_t frame = 0;
  };
  struct Frame {
    std::string name;
    std::string file{};      // of the source, as far as told
    std::uint32_t line = 0;  // the method's first; 0 = not told
    bool is_helper = false;  // of the runtime
  };
  // The nodes [begin, end) are its own. Merged, there is one without id and name.
  struct Thread {
    base::Id id = base::kNoId;
    std::string name{};
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    base::Time first = base::kNoTime;  // of its events in the whole trace, as far as known
    base::Time last = base::kNoTime;
  };

  const Weight* weight = nullptr;
  std::vector<Frame> frames;
  std::vector<Node> nodes;    // [0] is the root, which belongs to no thread
  std::vector<Amount> selfs;  // by node, without its callees
  // The same of the profile that this one is compared with; empty when there is none.
  std::vector<Amount> befores{};
  std::vector<Thread> threads;
  base::Time first = base::kNoTime;  // of the selected events
  base::Time last = base::kNoTime;
  std::vector<std::string> notes;   // sentences: what was put right or could not be placed
  std::vector<std::string> limits;  // Analysis::limits()

  std::uint64_t value(const Amount& amount) const {
    return weight->is_count ? amount.count : amount.weight;
  }
  std::uint64_t self(std::uint32_t node) const { return value(selfs[node]); }
  // By node, callees included. Recursive calls count in each of their nodes.
  std::vector<Amount> totals() const { return totals(selfs); }
  std::vector<Amount> totals(std::vector<Amount> own) const;
  Amount total() const;
};

struct ProfileOptions {
  const Weight* weight = nullptr;  // null: the first of weights() that the trace has
  bool by_thread = false;
  // Another's, merged over threads, who feeds it and has finished it when finish() is called:
  // spares a walk through the calls. Null: a tree of its own.
  std::shared_ptr<CallTree> tree{};
  bool every_carrier = false;  // for finish_all()
};

class ProfileSource;

// Fed with slices, asked for the profile at the end. Runtime helpers that the selection does not
// show count for their callers. With names selected, with_names(). One thread at a time.
class ProfileBuilder {
 public:
  ProfileBuilder(const Selection& selection, const ProfileOptions& options);
  ~ProfileBuilder();

  void consume(const Slice& slice);
  // Once, after the last slice. An error (usage) says which weights the trace has.
  base::result<Profile> finish(const Names& names);
  // After it, of the CPU time of calls. REQUIRES: the weight was chosen by default, and the call
  // tree knows that time.
  Profile cpu_of_calls(const Names& names) { return make(*find_weight("cpu"), names); }
  // The same, and behind it one of each other carrier that has any amount.
  // REQUIRES: ProfileOptions::every_carrier.
  base::result<std::vector<Profile>> finish_all(const Names& names);

 private:
  void learn(const Slice& slice);
  void note_times(const Slice& slice);
  base::result<const Weight*> choose() const;
  Profile make(const Weight& weight, const Names& names);

  Selection selection_;
  ProfileOptions options_;
  bool feeds_tree_ = false;  // options_.tree, which is its own then
  std::array<bool, kCarriers> present_{};
  std::array<std::unique_ptr<ProfileSource>, kCarriers> sources_;
  std::vector<Profile::Frame> places_;  // by method index: file and line
  base::Time first_ = base::kNoTime;
  base::Time last_ = base::kNoTime;
};

// Both as one tree, threads merged: frames are the same if their names are, letter by letter or by
// names_alike.hpp, and spelled as in `now` where it has them. What only `before` has is there with
// nothing of its own. REQUIRES: both are of the same weight.
Profile compared(const Profile& now, const Profile& before, bool exact_names);

// Frames that no node has go.
void drop_unused_frames(Profile& profile);

// The stacks that a method of a chosen name is in; what is its callers' own is not counted.
// REQUIRES: the profile is compared with none.
Profile with_names(const Profile& profile, const event::NameChoice& names);

// The heaviest nodes, at most `most` (0 = all) and none deeper than `deepest` frames (0 = any), as
// a profile whose totals are the same: what is cut counts for a frame "(... more)" below the caller
// that is left.
struct Pruned {
  Profile profile;
  std::vector<std::uint32_t> hidden{};  // by node: how many were cut that it stands for, or 0
  std::uint64_t cut = 0;                // nodes, because of `most`
  std::uint64_t deeper = 0;             // nodes, because of `deepest`
};
Pruned prune(Profile profile, std::uint64_t most, std::uint64_t deepest);

// What is different between two profiles, path by path. Of what compared() made: a tree of the
// `limit` largest differences and their callers. The values of now are multiplied by `scale`;
// changes below `threshold` of the whole are left out.
Table tree_difference(const Profile& both, double scale, double threshold,
                      const TableOptions& options);

}  // namespace polytrace::analysis
