// SPDX-License-Identifier: Apache-2.0
// Reading a trace and writing it again: in another format, or with a change on the way.
#pragma once

#include "service/convert/conversion_route.hpp"
#include "service/selection/selection.hpp"
#include "transform/cut.hpp"

namespace polytrace::service {

// What became of a conversion.
struct Conversion {
  Reading reading{};
  Target target{};
  std::string output{};     // as it was named
  std::string_view unit{};  // what is counted: "events" or "records"
  std::uint64_t read = 0;
  std::uint64_t given = 0;  // of these, what the target was given
  event::Loss loss{};       // what it could not hold
  bool written = false;

  std::uint64_t events_lost() const;
  std::uint64_t kept() const { return given - events_lost(); }
};

// Writes the input to the target. With InputOptions::strict a target that would not hold everything
// is not written, and neither is one of an input with problems.
Asked<Conversion> convert(const Input& input, const TargetOptions& target,
                          const Change& change = {});

// What `cut` leaves: what all that is told selects.
struct CutQuestion {
  SelectionOptions selection{};
  std::string method{};    // only methods whose names contain this
  std::string in_class{};  // only classes whose names contain this, and their methods
};
struct CutAnswer {
  Asked<Conversion> conversion;
  transform::CutCounts made{};  // to keep the calls in pairs
};
CutAnswer cut(Input& input, const CutQuestion& question, const TargetOptions& target);

struct MergeQuestion {
  std::vector<std::string> files{};
  std::vector<std::string> offsets{};  // FILE=DURATION, or the file's place from 1 on
  InputOptions reading{};              // what holds for all of them
};
// Several traces as one, by time.
Asked<Conversion> merge(const MergeQuestion& question, const TargetOptions& target,
                        const Asking& asking);

struct AnonymizeQuestion {
  std::string key{};                // "@FILE" stands for what the file holds
  std::vector<std::string> keep{};  // prefixes of names; "runtime" stands for the runtimes' own
};
Asked<Conversion> anonymize(const Input& input, const AnonymizeQuestion& question,
                            const TargetOptions& target);

// {"schema": "polytrace.convert/1", ...}
std::string convert_json(const Conversion& done);

}  // namespace polytrace::service
