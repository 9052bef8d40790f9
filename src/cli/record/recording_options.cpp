// SPDX-License-Identifier: Apache-2.0
#include "cli/record/recording_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace polytrace::cli {
namespace {

std::vector<std::string> assignments() {
  std::vector<std::string> words = service::agent_option_names();
  for (std::string& word : words) word += '=';
  return words;
}

}  // namespace

void add_recording_options(OptionList& list, service::RecordingOptions& options, bool& report) {
  list.add("-o,--output", options.output, "The recording")
      .takes("FILE")
      .shows_default()
      .in("Output");
  list.add("--format", options.to,
           "Its format: any that polytrace writes (default: by its ending, else native)")
      .takes("FORMAT[:VERSION]")
      .in("Output");
  list.add("-f,--force", options.force, "Replace an existing file").in("Output");
  list.add("--duration", options.duration,
           "Stop recording after so long, for example 30s; the program goes on")
      .takes("TIME")
      .in("What is recorded");
  list.add("--report", report, "Print a report of it at the end").in("Output");
}

void add_agent_options(OptionList& list, service::AgentOptions& options) {
  const std::vector<std::string> events = service::agent_events();
  const char* group = "What is recorded";
  list.add("--events", options.events,
           fmt::format(
               "Kinds of events, separated by commas: {}; a + before the first: besides the "
               "default (calls,threads,gc,monitors,alloc=sampled and, but for Java, exceptions)",
               fmt::join(events, ", ")))
      .takes("EVENT[,EVENT...]")
      .suggests(events)
      .in(group);
  list.add("--filter", options.filters,
           "Classes whose methods are recorded, separated by commas; -PATTERN leaves out")
      .takes("LIST")
      .in(group);
  list.add("--policy", options.policy,
           "When the recording cannot keep up: block (the program waits; nothing is lost), "
           "drop (counted) or ring (the last part is kept)")
      .takes("POLICY")
      .one_of({"block", "drop", "ring"})
      .in(group);
  list.add("--limit", options.limit,
           "The recording ends when it is as large, and the program goes on; none: no limit")
      .takes("SIZE")
      .shows_default()
      .in(group);
  list.add("--label", options.labels,
           "Who is recorded: service=shop, version=1.2; as often as there are labels")
      .takes("NAME=VALUE")
      .in(group);
  list.add("--option", options.others, "Any other option of the agent: docs/recording.md")
      .takes("NAME=VALUE")
      .suggests(assignments())
      .in(group);
  list.add("--agent", options.agent, "The agent's library, where it is not beside polytrace")
      .takes("FILE")
      .in(group);
  list.add("--control", options.controllable,
           "Let `polytrace control` steer the recording while it runs")
      .in(group);
}

}  // namespace polytrace::cli
