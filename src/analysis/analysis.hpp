// SPDX-License-Identifier: Apache-2.0
// The common shape of an analysis: fed with slices of batches, asked for tables at the end. One
// file per question. Instances are used by one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/figures.hpp"
#include "analysis/table/table.hpp"
#include "analysis/table/words.hpp"

namespace polytrace::analysis {

// Something that looks like a fault, in plain text for people.
struct Suspect {
  std::string fault;  // "lock convoy"
  std::string what;   // where: the name of a method, class or lock
  std::string why;    // the figures that speak for it
};

class Analysis {
 public:
  Analysis() = default;
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;
  virtual ~Analysis() = default;

  // Slices in input order.
  virtual void consume(const Slice& slice) = 0;
  // Once, after the last slice: closes what is still open.
  virtual void finish(const Names& names) { static_cast<void>(names); }
  // The answer. Tables without rows are left out by the presenter. May be called repeatedly.
  virtual std::vector<Table> tables(const Names& names, const TableOptions& options) const = 0;
  // What two traces are compared by, after finish(): one of its tables is made from the same.
  // Without a unit where the analysis cannot be compared.
  virtual Figures figures(const Names& names) const {
    static_cast<void>(names);
    return {};
  }
  // What a summary says of it, after finish(): zero to two lines of plain text for people, most
  // important first ("12 collections, longest pause 3.1 ms"). Cheap; empty when it saw nothing.
  virtual std::vector<std::string> headlines(const Names& names) const {
    static_cast<void>(names);
    return {};
  }
  // After finish(): of each limit of its own that was reached, what became of the rest, in words
  // that can follow a colon.
  virtual std::vector<std::string> limits() const { return {}; }
  // What looks like a fault to it, after finish(), worst first: nothing where figures are small or
  // what is seen has an innocent explanation.
  virtual std::vector<Suspect> suspects(const Names& names) const {
    static_cast<void>(names);
    return {};
  }
};

}  // namespace polytrace::analysis
