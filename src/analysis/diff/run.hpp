// SPDX-License-Identifier: Apache-2.0
// One recorded run of what is compared: fed with its trace, then asked.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analysis/profile/profile.hpp"
#include "analysis/report/report.hpp"

namespace polytrace::analysis {

// The own time of a method, in nanoseconds.
struct MethodTimes {
  std::uint64_t busy = 0;     // CPU time, where it is known
  std::uint64_t waiting = 0;  // where CPU time is known
  std::uint64_t worked = 0;   // without known waits
  std::uint64_t late = 0;     // of that, what the longest calls had (OwnTimes::Sums::late())
};

class DiffRun : public event::Consumer {
 public:
  DiffRun(const Selection& selection, const Weight* weight);
  ~DiffRun() override;

  bool consume(const event::Batch& batch) override;
  // Once, after the last batch. What is not asked for any more is given back.
  void finish();

  // Of a section that a topic names (topics.hpp), the largest weight first, of equal ones by name.
  const Figures& figures(std::string_view section) const;
  bool knows_cpu() const { return knows_cpu_; }
  // Of the figures of the section "calls", in their order.
  const std::vector<MethodTimes>& method_times() const { return method_times_; }
  const std::vector<Suspect>& suspects() const { return suspects_; }
  // Of the weight that was asked for; else the first one that the trace has, CPU time of calls
  // before it.
  const std::vector<Profile>& profiles() const { return profiles_; }
  // How the recorder was asked to take samples of stacks: "samples=1ms"; empty where it is not
  // told.
  const std::string& sampling() const { return sampling_; }
  const std::vector<std::string>& limits() const { return limits_; }
  std::uint64_t span() const { return span_; }
  double calls() const { return calls_; }
  // Bytes that a sampled object stands for on average; 0 where every object was told.
  double sample_size() const { return samples_ == 0 ? 0 : sampled_bytes_ / samples_; }

 private:
  struct Reading;  // what is needed until finish()
  void take_samples(const event::Batch& batch);
  void take_sampling(const event::Batch& batch);
  void sum_method_times();
  void make_profiles();

  base::Time from_;  // what is selected
  base::Time to_;
  std::unique_ptr<Reading> reading_;
  const Weight* weight_;
  std::map<std::string_view, Figures> figures_;  // by section
  bool knows_cpu_ = false;
  std::vector<MethodTimes> method_times_;
  std::vector<Suspect> suspects_;
  std::vector<Profile> profiles_;
  std::vector<std::string> limits_;
  std::uint64_t span_ = 0;
  double calls_ = 0;
  std::string sampling_;
  double samples_ = 0;
  double sampled_bytes_ = 0;
};

// At least one run; figures are those of a run on average.
using DiffSide = std::vector<std::unique_ptr<DiffRun>>;

}  // namespace polytrace::analysis
