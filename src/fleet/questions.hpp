// SPDX-License-Identifier: Apache-2.0
// The questions to a fleet, one file each in questions/. All ask one store and answer with tables.
#pragma once

#include <optional>
#include <string_view>

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

// What happened in each step of the range, by the values of a label; `step` is in seconds, 0 for
// one by the length of the range. Errors: usage (no label, no multiple of 10 s, too many steps).
base::result<Answer> ask_timeline(Store& store, const Question& question, const std::string& key,
                                  std::uint32_t step);
// Lengths of pauses by the values of a label, and the longest ones.
base::result<Answer> ask_pauses(Store& store, const Question& question, const std::string& key);
// What is worth a look, the longest first: of a kind of kMomentKinds, or of all; with this text in
// the name of their method or class, or any.
base::result<Answer> ask_moments(Store& store, const Question& question, const std::string& kind,
                                 const std::string& name);
// Recordings of the range that were pushed or kept, and where they are.
base::result<Answer> ask_traces(Store& store, const Question& question);
// What programs were commanded by whom in the range, and what became of it.
base::result<Answer> ask_commands(Store& store, const Question& question);
// What was allocated, waited for or thrown: by type, and by the method that did it; with a label
// also by its values. Errors: usage, where it can be none.
base::result<Answer> ask_types(Store& store, const Question& question, analysis::Carrier carrier,
                               const std::string& label = {});

// Hosts whose figure is far from that of the others of their group: by more than 3 median absolute
// deviations, and by half of the median. Groups of fewer than three hosts are not compared.
enum class HostFigure : std::uint8_t { pauses, self, alloc };
// "pauses", "self", "alloc"; nothing for other words.
std::optional<HostFigure> find_host_figure(std::string_view word);
base::result<Answer> ask_hosts(Store& store, const Question& question, HostFigure figure);

// Self time and calls by method or stack, or allocated bytes and objects by type, each for a second
// of a process, of what `before` chooses and of what `after` does. Noise is twice the standard
// error of the difference, by the hosts of both.
enum class DiffBy : std::uint8_t { method, stack, type };
base::result<Answer> ask_diff(Store& store, const Question& before, const Question& after,
                              DiffBy by);

// One weight by stack: what exporters and flame graphs take. Error: usage, where no row has it.
struct ProfileAnswer {
  Account account;
  analysis::Profile profile;
};
base::result<ProfileAnswer> ask_profile(Store& store, const Question& question,
                                        const analysis::Weight& weight);
// The same, compared with what `before` chooses.
base::result<ProfileAnswer> ask_compared(Store& store, const Question& before,
                                         const Question& after, const analysis::Weight& weight);

}  // namespace polytrace::fleet
