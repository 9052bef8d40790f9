// SPDX-License-Identifier: Apache-2.0
// The questions to a fleet, one file each in questions/. All ask one store and answer with tables.
#pragma once

#include "analysis/profile/profile.hpp"
#include "fleet/question.hpp"
#include "fleet/store.hpp"

namespace polytrace::fleet {

// Who is there: each series with its labels, when it was seen, and what was recorded in the range.
base::result<Answer> ask_series(Store& store, const Question& question);
// The same by service.
base::result<Answer> ask_services(Store& store, const Question& question);
// Calls, times and quantiles by method.
base::result<Answer> ask_methods(Store& store, const Question& question, const std::string& name);

// Lengths of pauses by the values of a label, and the longest ones.
base::result<Answer> ask_pauses(Store& store, const Question& question, const std::string& key);
// What is worth a look, the longest first: of a kind of kMomentKinds, or of all; with this text in
// the name of their method or class, or any.
base::result<Answer> ask_moments(Store& store, const Question& question, const std::string& kind,
                                 const std::string& name);
// What was allocated, waited for or thrown: by type, and by the method that did it.
base::result<Answer> ask_types(Store& store, const Question& question, analysis::Carrier carrier);

// Hosts whose figure is far from that of the others of their group: by more than 3 median absolute
// deviations, and by half of the median. Groups of fewer than three hosts are not compared.
enum class HostFigure : std::uint8_t { pauses, self, alloc };
base::result<Answer> ask_hosts(Store& store, const Question& question, HostFigure figure);

// Self time and calls by method, each for a second of a process, of what `before` chooses and of
// what `after` does. Noise is twice the standard error of the difference, by the hosts of both.
base::result<Answer> ask_diff(Store& store, const Question& before, const Question& after);

// One weight by stack: what exporters and flame graphs take. Error: usage, where no row has it.
struct ProfileAnswer {
  Account account;
  analysis::Profile profile;
};
base::result<ProfileAnswer> ask_profile(Store& store, const Question& question,
                                        const analysis::Weight& weight);

}  // namespace polytrace::fleet
