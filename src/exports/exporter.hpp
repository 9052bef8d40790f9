// SPDX-License-Identifier: Apache-2.0
// Feeds one pass over a trace to the runners of any targets. One thread at a time, but for
// survey().
#pragma once

#include <optional>
#include <vector>

#include "event/pump.hpp"
#include "exports/runners.hpp"
#include "slice/slicer.hpp"

namespace polytrace::exports {

class Exporter final : public event::Consumer {
 public:
  // `trace` is the input's name. The sinks outlive the exporter and are not committed by it.
  Exporter(const Request& request, std::string trace);

  // `folder`: see TimelineJob.
  void add(const Target& target, base::Sink& sink, std::string folder = {});
  // Merged profiles are compared with this one. REQUIRES: before add(); Request::weight is its
  // weight.
  void compare_with(analysis::Profile before, bool exact_names) {
    profiles_.compare_with(std::move(before), exact_names);
  }

  void begin(unsigned workers) override { pass_.counts.resize(workers); }
  void survey(const event::Batch& batch, unsigned worker) override;
  bool consume(const event::Batch& batch) override;
  // Once, after the last batch. Errors: a sink's, or a weight or snapshot that the trace has not
  // (usage).
  base::result<void> finish();

  // Why consume() stopped.
  const std::optional<base::Error>& failure() const { return failure_; }
  // In the order of add(): whose sink failed, where one did.
  std::size_t failed_output() const { return pass_.current; }
  // After finish(), in the order of add().
  const std::vector<Result>& results() const { return pass_.results; }

 private:
  TimelineRunner& runner_of(const TimelineTarget&) { return timelines_; }
  ProfileRunner& runner_of(const ProfileTarget&) { return profiles_; }
  SnapshotRunner& runner_of(const SnapshotTarget&) { return snapshots_; }
  void learn(const slice::Slice& slice);

  Pass pass_;
  slice::Slicer slicer_;
  TimelineRunner timelines_{pass_};
  ProfileRunner profiles_{pass_};
  SnapshotRunner snapshots_{pass_};
  std::optional<base::Error> failure_;
};

}  // namespace polytrace::exports
