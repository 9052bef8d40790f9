// SPDX-License-Identifier: Apache-2.0
// One recorded run of what is compared: fed with its trace, then asked.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analysis/calls/own_times.hpp"
#include "analysis/profile/profile.hpp"
#include "analysis/report/report.hpp"

namespace polytrace::analysis {

class DiffRun : public event::Consumer {
 public:
  DiffRun(const Selection& selection, const Weight* weight, bool exact_names);
  ~DiffRun() override;

  bool consume(const event::Batch& batch) override;
  // Once, after the last batch. What is not asked for any more is given back.
  void finish();

  // Of a section that a topic names (topics.hpp), the largest weight first, of equal ones by name.
  const Figures& figures(std::string_view section) const;
  // The own time of methods: what they used of a processor and what they waited, where that is
  // known; and what is no known wait.
  bool knows_busy() const { return knows_busy_; }
  const Figures& busy() const { return busy_; }
  const Figures& waiting() const { return waiting_; }
  const Figures& worked() const { return worked_; }
  // Of the methods whose names are one, by that name (names_alike.hpp).
  OwnTimes::Sums own_times(const std::string& name) const;
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
  void sum_own_times();
  void make_profiles();

  bool exact_names_;
  base::Time from_;  // what is selected
  base::Time to_;
  std::unique_ptr<Reading> reading_;
  const Weight* weight_;
  std::map<std::string_view, Figures> figures_;  // by section
  bool knows_busy_ = false;
  Figures busy_{Unit::nanoseconds};
  Figures waiting_{Unit::nanoseconds};
  Figures worked_{Unit::nanoseconds};
  std::vector<Suspect> suspects_;
  std::map<std::string, OwnTimes::Sums, std::less<>> own_times_;
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
