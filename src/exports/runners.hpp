// SPDX-License-Identifier: Apache-2.0
// What writes the targets of each kind during one pass over a trace: fed slice by slice, asked for
// the rest at the end. Not before its first add() does a runner have anything to do. One thread at
// a time.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/heap/study.hpp"
#include "exports/profiles/call_log.hpp"
#include "exports/profiles/markers.hpp"
#include "exports/target.hpp"

namespace polytrace::exports {

// What came out of one target. The weight's sums are of profiles only.
struct Result {
  const Target* target = nullptr;
  Account account{};
  const analysis::Weight* weight = nullptr;
  analysis::Amount total{};
  std::uint64_t stacks = 0;  // places with a weight of their own
  std::uint64_t frames = 0;  // distinct ones
};

// What the runners of one pass share.
struct Pass {
  Request request;
  Origin origin{};
  std::vector<Result> results{};         // by output
  std::size_t current = 0;               // the output that is being written
  std::vector<Account::Kinds> counts{};  // by worker: of the selected events

  // Everything that was selected and is neither a definition nor of these kinds.
  void leave_out_all_but(std::span<const event::Kind> kept, Account& account) const;
};

struct Output {
  std::size_t number;  // in the order of Exporter::add()
  base::Sink* sink;
  std::string folder{};  // see TimelineJob
};

class TimelineRunner {
 public:
  explicit TimelineRunner(Pass& pass) : pass_(pass) {}

  void add(const TimelineTarget& target, Output output);
  base::result<void> consume(const slice::Slice& slice);
  base::result<void> finish(const slice::Names& names);

 private:
  struct Making {
    std::size_t output;
    std::unique_ptr<TimelineMaker> maker;
  };
  Pass& pass_;
  std::vector<Making> makings_;
};

class ProfileRunner {
 public:
  explicit ProfileRunner(Pass& pass) : pass_(pass) {}

  // REQUIRES: before add().
  void compare_with(analysis::Profile before, bool exact_names) {
    before_ = std::move(before);
    exact_names_ = exact_names;
  }
  void add(const ProfileTarget& target, Output output);
  bool is_idle() const { return outputs_.empty(); }
  bool keeps_every_stack() const { return builder(Stacks::every) != nullptr; }
  void consume(const slice::Slice& slice);
  base::result<void> finish(const slice::Names& names);

 private:
  struct Writing {
    const ProfileTarget* target;
    Output output;
  };
  using Builder = std::unique_ptr<analysis::ProfileBuilder>;

  // What the target gets in this pass.
  Stacks stacks_of(const ProfileTarget& target) const {
    return before_ && target.stacks == Stacks::every ? Stacks::merged : target.stacks;
  }
  const Builder& builder(Stacks stacks) const {
    return builders_[static_cast<std::size_t>(stacks)];
  }
  Builder new_builder(Stacks stacks) const;
  // Of one weight, and of all.
  base::result<void> finish(Stacks stacks, const slice::Names& names);
  base::result<void> finish_every(const slice::Names& names);
  analysis::Pruned pruned(const ProfileTarget& target, const analysis::Profile& whole,
                          std::uint64_t most_bytes, std::uint64_t& limit) const;
  std::vector<analysis::Pruned> others_of(const ProfileTarget& target,
                                          std::span<const analysis::Profile> others) const;
  base::result<void> write(const Writing& writing, const analysis::Profile& whole,
                           const slice::Names& names,
                           std::span<const analysis::Pruned> others = {});

  Pass& pass_;
  std::vector<Writing> outputs_;
  std::array<Builder, 3> builders_;   // by Stacks
  std::unique_ptr<Markers> markers_;  // for profiles that show them
  std::unique_ptr<CallLog> calls_;    // for those that show few in their order
  std::optional<analysis::Profile> before_;
  bool exact_names_ = false;
};

class SnapshotRunner {
 public:
  explicit SnapshotRunner(Pass& pass) : pass_(pass) {}

  void add(const SnapshotTarget& target, Output output);
  bool is_idle() const { return study_ == nullptr; }
  // Every batch, before its slices: a study has names of its own.
  void consume(const event::Batch& batch) {
    if (study_) study_->consume(batch);
  }
  // Errors are usage, too: a snapshot that the trace has not.
  base::result<void> finish();

 private:
  struct Writing {
    const SnapshotTarget* target;
    Output output;
  };
  Pass& pass_;
  std::vector<Writing> outputs_;
  std::unique_ptr<analysis::HeapStudy> study_;
};

}  // namespace polytrace::exports
