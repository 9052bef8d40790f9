// SPDX-License-Identifier: Apache-2.0
#include "cli/options/trace_options.hpp"

namespace polytrace::cli {
namespace {
constexpr const char* kGroup = "Input";
}

void add_input_file(OptionList& list, service::InputOptions& options) {
  list.add("FILE", options.file, "The trace; - is standard input. gzip and zstd are unpacked")
      .takes("FILE")
      .required()
      .in(kGroup);
}

void add_following(OptionList& list, bool& follow) {
  list.add("--follow", follow, "Wait for more at the end of a growing file, until Ctrl-C")
      .in(kGroup);
}

void add_reading_options(OptionList& list, service::InputOptions& options, Following following) {
  if (following == Following::offered) add_following(list, options.follow);
  list.add("--resync", options.resync, "After damage between frames, search for the next frame")
      .in(kGroup);
}

void add_input_options(OptionList& list, service::InputOptions& options, Following following) {
  add_input_file(list, options);
  add_reading_options(list, options, following);
  list.add("--strict", options.strict, "Stop at the first problem").in(kGroup);
}

void add_index_place(OptionList& list, std::string& folder) {
  list.add("--index", folder, "The index is this folder instead of one in the cache")
      .takes("PATH")
      .in(kGroup);
}

void add_index_options(OptionList& list, service::IndexOptions& options, Traces traces) {
  options.offered = true;
  if (traces == Traces::one) add_index_place(list, options.folder);
  list.add("--no-index", options.none, "Read the trace, even where an index of it is there")
      .in(kGroup);
}

void add_selection_options(OptionList& list, service::SelectionOptions& options,
                           const char* name_means) {
  const char* group = "Selection";
  list.add("--from", options.from,
           "Leave out what is earlier: 1.5s, 50%, 2026-11-21T10:00:00Z, or nanoseconds of "
           "the trace's clock (see: polytrace help times)")
      .takes("TIME")
      .in(group);
  list.add(options.to_option, options.to,
           "Leave out this and what is later; +200ms counts from --from")
      .takes("TIME")
      .in(group);
  list.add("--thread", options.thread,
           "Only these threads: an id (0x... or decimal), a name, or a pattern of names (worker-*)")
      .takes("THREAD")
      .in(group);
  if (name_means == nullptr) return;
  list.add("--name", options.name, name_means).takes("TEXT").in(group);
  list.add("--regex", options.regex, "The text of --name is a regular expression (POSIX, extended)")
      .in(group);
}

void add_subtract_option(OptionList& list, service::SelectionOptions& options) {
  list.add("--subtract", options.subtract,
           "What does not count as time of calls, separated by commas: gc, waits")
      .takes("WHAT[,WHAT]")
      .suggests({"gc", "waits"})
      .in("Selection");
}

}  // namespace polytrace::cli
