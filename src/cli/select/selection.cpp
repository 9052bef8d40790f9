// SPDX-License-Identifier: Apache-2.0
#include "cli/select/selection.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <optional>

#include "base/codes.hpp"
#include "cli/frame/numbers.hpp"
#include "cli/select/subtract.hpp"
#include "cli/select/times.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

using base::Id;
using base::Time;

std::optional<Id> thread_id(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hexadecimal ? text.substr(2) : text;
  return parse_number<Id>(digits, hexadecimal ? 16 : 10);
}

std::string thread_names(const Overview& overview) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t named = 0;
  for (const ThreadSpan& thread : overview.threads) {
    if (thread.name.empty()) continue;
    if (++named <= kMost) text += fmt::format("{}\"{}\"", named == 1 ? "" : ", ", thread.name);
  }
  if (named > kMost) text += fmt::format(" and {} more", named - kMost);
  return named == 0 ? "no thread has a name" : "the named ones are " + text;
}

// All of that name; else those that the pattern fits, or whose names contain the text.
base::result<std::vector<Id>> threads_named(const Overview& overview, const std::string& name) {
  std::vector<Id> same, similar;
  const bool is_pattern = name.find_first_of("*?[") != std::string::npos;
  for (const ThreadSpan& thread : overview.threads) {
    if (thread.name.empty()) continue;
    if (thread.name == name) same.push_back(thread.id);
    if (is_pattern ? fnmatch(name.c_str(), thread.name.c_str(), 0) == 0
                   : thread.name.find(name) != std::string::npos)
      similar.push_back(thread.id);
  }
  if (!same.empty()) return same;
  if (!similar.empty()) return similar;
  return base::fail(base::Code::usage,
                    fmt::format("no thread is named \"{}\"; {}", name, thread_names(overview)));
}

// What the options say, as far as that is known without the trace.
struct Wanted {
  std::optional<TimePoint> from;
  std::optional<TimePoint> to;

  bool needs_overview() const {
    return (from && from->needs_overview()) || (to && to->needs_overview());
  }
};

base::result<std::optional<TimePoint>> time_point(const std::string& text) {
  if (text.empty()) return std::optional<TimePoint>{};
  const auto point = parse_time_point(text);
  if (!point) return base::Unexpected(point.error());
  return std::optional(*point);
}

base::result<Overview> look_over(const Session& session, Input& input) {
  if (auto ready = input.prepare_passes(); !ready) return base::Unexpected(ready.error());
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  OverviewConsumer consumer;
  const Passed passed = pass(session, input, *opened->reader, consumer);
  if (passed.outcome.error) return base::Unexpected(*passed.outcome.error);
  return consumer.take();
}

base::result<void> resolve_times(const Wanted& wanted, const Overview& overview,
                                 std::string_view to_option, slice::Selection& selection) {
  if (wanted.from) {
    const auto from = resolve(*wanted.from, overview, overview.first);
    if (!from) return base::Unexpected(from.error());
    selection.from = *from;
  }
  if (!wanted.to) return {};
  const auto to = resolve(*wanted.to, overview, wanted.from ? selection.from : overview.first);
  if (!to) return base::Unexpected(to.error());
  selection.to = *to;
  // The end of the span is the last event, which "100%" shall not leave out.
  if (wanted.to->against == TimePoint::Against::share && *to == overview.last) ++selection.to;
  if (selection.to <= selection.from)
    return base::fail(base::Code::usage,
                      fmt::format("{} is not after --from: nothing lies between", to_option));
  return {};
}

}  // namespace

void add_selection_options(OptionList& list, SelectionOptions& options, const char* name_means) {
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

base::result<event::NameChoice> choose_names(const SelectionOptions& options) {
  if (!options.regex) return event::NameChoice(options.name);
  if (options.name.empty())
    return base::fail(base::Code::usage, "--regex says how --name is meant: say that, too");
  return event::NameChoice::fitting(options.name);
}

base::result<slice::Selection> make_selection(const Session& session, Input& input,
                                              const SelectionOptions& options) {
  slice::Selection selection;
  auto names = choose_names(options);
  if (!names) return base::Unexpected(names.error());
  selection.name = std::move(*names);
  const auto from = time_point(options.from), to = time_point(options.to);
  if (!from) return base::Unexpected(from.error());
  if (!to) return base::Unexpected(to.error());
  const Wanted wanted{*from, *to};
  const std::optional<Id> thread = thread_id(options.thread);
  if (thread) selection.threads = event::ThreadChoice({*thread});
  const bool by_name = !options.thread.empty() && !thread;
  Overview overview;
  if (wanted.needs_overview() || by_name) {
    auto seen = look_over(session, input);
    if (!seen) return base::Unexpected(seen.error());
    overview = std::move(*seen);
  }
  if (auto done = resolve_times(wanted, overview, options.to_option, selection); !done)
    return base::Unexpected(done.error());
  if (by_name) {
    auto ids = threads_named(overview, options.thread);
    if (!ids) return base::Unexpected(ids.error());
    selection.threads = event::ThreadChoice(std::move(*ids));
  }
  if (auto done = subtract(session, input, options.subtract, selection); !done)
    return base::Unexpected(done.error());
  return selection;
}

}  // namespace polytrace::cli
