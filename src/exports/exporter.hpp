// SPDX-License-Identifier: Apache-2.0
// Feeds one pass over a trace to the makers of any targets. One thread at a time, but for survey().
#pragma once

#include <vector>

#include "analysis/heap/study.hpp"
#include "event/pump.hpp"
#include "exports/target.hpp"
#include "slice/slicer.hpp"

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

class Exporter final : public event::Consumer {
 public:
  // `trace` is the input's name. The sinks outlive the exporter and are not committed by it.
  Exporter(const Request& request, std::string trace);
  ~Exporter() override;

  // `folder`: see TimelineJob.
  void add(const Target& target, base::Sink& sink, std::string folder = {});
  // Merged profiles are compared with this one. REQUIRES: before add(); Request::weight is its
  // weight.
  void compare_with(analysis::Profile before, bool exact_names) {
    before_ = std::move(before);
    exact_names_ = exact_names;
  }

  void begin(unsigned workers) override { counts_.resize(workers); }
  void survey(const event::Batch& batch, unsigned worker) override;
  bool consume(const event::Batch& batch) override;
  // Once, after the last batch. Errors: a sink's, or a weight or snapshot that the trace has not
  // (usage).
  base::result<void> finish();

  // Why consume() stopped.
  const std::optional<base::Error>& failure() const { return failure_; }
  // In the order of add(): whose sink failed, where one did.
  std::size_t failed_output() const { return failed_; }
  // After finish(), in the order of add().
  const std::vector<Result>& results() const { return results_; }

 private:
  struct Output {
    const Target* target;
    base::Sink* sink;
    std::unique_ptr<TimelineMaker> maker;  // null of all but time lines
  };
  void learn(const slice::Slice& slice);
  base::result<void> finish_profiles(bool by_thread);
  base::result<void> finish_snapshots();
  // Everything that was selected and is neither a definition nor of these kinds.
  void leave_out_all_but(std::span<const event::Kind> kept, Account& account) const;
  analysis::Pruned pruned(const Target& target, const analysis::Profile& whole,
                          std::uint64_t most_bytes, std::uint64_t& limit) const;
  base::result<void> write_profile(const Output& output, Result& result,
                                   const analysis::Profile& whole,
                                   std::span<const analysis::Pruned> others = {});
  base::result<void> finish_switches();
  bool switches(const Target& target) const { return target.switches && !before_; }

  Request request_;
  Origin origin_;
  slice::Slicer slicer_;
  std::vector<Output> outputs_;
  std::unique_ptr<analysis::HeapStudy> study_;  // for snapshots
  std::unique_ptr<Markers> markers_;            // for profiles that show them
  std::unique_ptr<CallLog> calls_;              // of a profile that shows few in their order
  std::unique_ptr<analysis::ProfileBuilder> merged_;
  std::unique_ptr<analysis::ProfileBuilder> by_thread_;
  std::unique_ptr<analysis::ProfileBuilder> every_;  // weight, thread and helper
  std::optional<analysis::Profile> before_;
  bool exact_names_ = false;
  std::vector<Account::Kinds> counts_;  // by worker: of the selected events
  std::vector<Result> results_;
  std::optional<base::Error> failure_;
  std::size_t failed_ = 0;  // the output that is being written
};

}  // namespace polytrace::exports
