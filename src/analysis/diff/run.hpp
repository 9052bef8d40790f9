// SPDX-License-Identifier: Apache-2.0
// One recorded run of what is compared: fed with its trace, then asked.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "analysis/calls/call_spread.hpp"
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
  const std::vector<Suspect>& suspects() const { return suspects_; }
  const Profile* profile() const { return profile_ ? &*profile_ : nullptr; }
  const std::vector<std::string>& limits() const { return limits_; }
  std::uint64_t span() const { return span_; }
  double calls() const { return calls_; }
  // Of the methods whose names are one, by that name (names_alike.hpp).
  CallSpread::Sums spread_of(const std::string& name) const;
  // Bytes that a sampled object stands for on average; 0 where every object was told.
  double sample_size() const { return samples_ == 0 ? 0 : sampled_bytes_ / samples_; }

 private:
  struct Reading;  // what is needed until finish()
  void take_samples(const event::Batch& batch);

  bool exact_names_;
  base::Time from_;  // what is selected
  base::Time to_;
  std::unique_ptr<Reading> reading_;
  std::map<std::string_view, Figures> figures_;  // by section
  std::vector<Suspect> suspects_;
  std::map<std::string, CallSpread::Sums, std::less<>> spreads_;
  std::optional<Profile> profile_;
  std::vector<std::string> limits_;
  std::uint64_t span_ = 0;
  double calls_ = 0;
  double samples_ = 0;
  double sampled_bytes_ = 0;
};

// At least one run; figures are those of a run on average.
using DiffSide = std::vector<std::unique_ptr<DiffRun>>;

}  // namespace polytrace::analysis
