// SPDX-License-Identifier: Apache-2.0
// What is different between two traces, topic by topic: methods, allocations, collections, locks,
// exceptions, heap, and what looked like a fault in one of them. Compares the tables of the
// sections by name, so it knows no events.
#pragma once

#include <map>

#include "analysis/profile/diff.hpp"
#include "analysis/report.hpp"
#include "analysis/self_windows.hpp"

namespace polytrace::analysis {

enum class PerWhat : std::uint8_t { nothing, time, calls };

struct DiffOptions {
  PerWhat per = PerWhat::nothing;  // the second trace's figures are scaled to the first one's
  bool exact_names = false;
  double threshold = 0.01;  // of the whole: smaller changes are left out, and counted
  const Weight* weight = nullptr;
  TableOptions table;
};

// One of the two: fed with its trace, then asked.
class DiffSide : public event::Consumer {
 public:
  DiffSide(const Selection& selection, const Weight* weight);

  bool consume(const event::Batch& batch) override { return report_.consume(batch); }
  // Once, after the last batch.
  void finish();

  const Table* table(std::string_view key) const;  // null when there is none
  const Profile* profile() const { return profile_ ? &*profile_ : nullptr; }
  const Weight* weight() const { return profile_ ? profile_->weight : nullptr; }
  std::uint64_t span() const;
  // By name, all windows.
  std::map<std::string, std::vector<double>> windows(bool exact) const;

 private:
  Report report_;
  SelfWindows windows_;
  ProfileBuilder builder_;
  std::vector<Table> tables_;
  std::optional<Profile> profile_;
};

struct Difference {
  std::vector<Table> tables;
  // The largest growth of a figure, as a part of its topic's whole before, noise aside; and where.
  double worst = 0;
  std::string worst_at;
};

Difference compare(const DiffSide& before, const DiffSide& after, const DiffOptions& options);
// What the second trace's figures are multiplied by.
double scale_of(const DiffSide& before, const DiffSide& after, PerWhat per);

}  // namespace polytrace::analysis
