// SPDX-License-Identifier: Apache-2.0
#include "service/selection/selection.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <optional>

#include "base/codes.hpp"
#include "service/input/pass.hpp"
#include "service/input/store_of.hpp"
#include "service/selection/times.hpp"
#include "service/words/numbers.hpp"
#include "service/words/words.hpp"
#include "slice/pauses.hpp"

namespace polytrace::service {
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

  bool by_name = false;  // of a thread

  bool needs_overview() const {
    return by_name || (from && from->needs_overview()) || (to && to->needs_overview());
  }
  bool needs_only_span() const {
    const auto is_wall = [](const std::optional<TimePoint>& point) {
      return point && point->against == TimePoint::Against::wall;
    };
    return !by_name && !is_wall(from) && !is_wall(to);
  }
};

base::result<std::optional<TimePoint>> time_point(const std::string& text) {
  if (text.empty()) return std::optional<TimePoint>{};
  const auto point = parse_time_point(text);
  if (!point) return base::Unexpected(point.error());
  return std::optional(*point);
}

// What times are resolved by; wall times need more.
std::optional<Overview> span_of(const format::Opened& opened) {
  const auto store = store_of(opened);
  if (store == nullptr || store->notes().error) return std::nullopt;
  const auto span = store->told_span();
  if (!span || !*span) return std::nullopt;
  Overview overview;
  overview.first = (*span)->first;
  overview.last = (*span)->last;
  return overview;
}

base::result<Overview> look_over(Input& input, const Wanted& wanted) {
  if (auto ready = input.prepare_passes(); !ready) return base::Unexpected(ready.error());
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  if (wanted.needs_only_span())
    if (auto span = span_of(*opened)) return std::move(*span);
  OverviewConsumer consumer;
  const Passed passed = pass(input, *opened->reader, consumer);
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

// Pauses must be known before the calls they interrupt.
class PausePass final : public event::Consumer {
 public:
  bool consume(const event::Batch& batch) override {
    event::leap_over_calls(batch.events, [&](const event::Event& event) {
      if (event.kind == event::Kind::Gc)
        finder_.add(batch.thread(event), event.time, batch.details_or<event::Gc>(event, {}).phase);
    });
    return true;
  }
  slice::Pauses take() { return finder_.take(); }

 private:
  slice::PauseFinder finder_;
};

base::result<std::shared_ptr<const slice::Pauses>> find_pauses(Input& input) {
  if (auto ready = input.prepare_passes(); !ready) return base::Unexpected(ready.error());
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  if (const auto store = store_of(*opened))
    if (auto known = store->pauses(); known && *known != nullptr) return std::move(*known);
  PausePass finder;
  // The next pass tells of faults.
  static_cast<void>(pass(input, *opened->reader, finder));
  return std::make_shared<const slice::Pauses>(finder.take());
}

}  // namespace

base::result<void> subtract(Input& input, std::string_view words, slice::Selection& selection) {
  bool pauses = false;
  for (const std::string_view word : listed(words)) {
    if (word == "gc") pauses = true;
    else if (word == "waits") selection.subtract_waits = true;
    else
      return base::fail(base::Code::usage,
                        fmt::format("--subtract: \"{}\" is neither gc nor waits", word));
  }
  if (!pauses) return {};
  auto found = find_pauses(input);
  if (!found) return base::Unexpected(found.error());
  selection.pauses = std::move(*found);
  return {};
}

base::result<event::NameChoice> choose_names(const SelectionOptions& options) {
  if (!options.regex) return event::NameChoice(options.name);
  if (options.name.empty())
    return base::fail(base::Code::usage, "--regex says how --name is meant: say that, too");
  return event::NameChoice::fitting(options.name);
}

base::result<slice::Selection> make_selection(Input& input, const SelectionOptions& options) {
  slice::Selection selection;
  auto names = choose_names(options);
  if (!names) return base::Unexpected(names.error());
  selection.name = std::move(*names);
  const auto from = time_point(options.from), to = time_point(options.to);
  if (!from) return base::Unexpected(from.error());
  if (!to) return base::Unexpected(to.error());
  const std::optional<Id> thread = thread_id(options.thread);
  if (thread) selection.threads = event::ThreadChoice({*thread});
  const bool by_name = !options.thread.empty() && !thread;
  const Wanted wanted{*from, *to, by_name};
  Overview overview;
  if (wanted.needs_overview()) {
    auto seen = look_over(input, wanted);
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
  if (auto done = subtract(input, options.subtract, selection); !done)
    return base::Unexpected(done.error());
  return selection;
}

}  // namespace polytrace::service
