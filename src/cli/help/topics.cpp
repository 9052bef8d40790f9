// SPDX-License-Identifier: Apache-2.0
#include "cli/help/topics.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/result.hpp"
#include "cli/help/help_model.hpp"
#include "event/details.hpp"

namespace polytrace::cli {
namespace {

std::string times_text() {
  return R"(Times for --from and --to:

  1.5s 200ms 40us 7ns 2min 1h   since the trace's first event
  +200ms                        --to: after --from; --from: as above
  50%                           of the time between the first and the last event
  2026-11-21T10:00:00.5Z        wall time (RFC 3339, any zone), where the trace
                                has it
  3845198506587                 nanoseconds of the trace's own clock, as
                                "polytrace cat" shows them

--from is included, --to is not. All but the last form need to see the whole
trace first: the file is read twice, standard input is kept in a temporary file
(TMPDIR), and --follow cannot take them.

Examples:
  polytrace report --from 50% app.mlpd
  polytrace cat --from 1.5s --to +200ms app.mlpd
)";
}

std::string exit_codes_text() {
  std::string out = "Exit codes:\n\n";
  for (const ExitMeaning& entry : exit_meanings())
    out += fmt::format("  {:<5}{}\n", entry.code, entry.meaning);
  out +=
      "\nThe worst that happened decides. With --json an error is one JSON object on\n"
      "standard error; its \"code\" is one of these names, which never change:\n\n";
  for (std::size_t i = 0; i < base::code_count(); ++i) {
    const base::CodeInfo& info = base::describe(static_cast<base::Code>(i));
    out += fmt::format("  {:<22}{}  {}\n", info.name, info.exit, info.sentence);
  }
  return out;
}

std::string kinds_text() {
  std::string out =
      "Kinds of events, for \"polytrace cat --kind\", and what each one is about:\n\n";
  for (std::size_t i = 0; i < event::kKindCount; ++i) {
    const event::KindInfo& info = event::describe(static_cast<event::Kind>(i));
    out += info.subject == "none" ? fmt::format("  {}\n", info.name)
                                  : fmt::format("  {:<22}{}\n", info.name, info.subject);
  }
  return out;
}

}  // namespace

const std::vector<Topic>& topics() {
  static const std::vector<Topic> kTopics{
      {"times", "how to say when", times_text},
      {"kinds", "the kinds of events", kinds_text},
      {"exit-codes", "what the program ends with, and the names of faults", exit_codes_text}};
  return kTopics;
}

}  // namespace polytrace::cli
