// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/explain/notices_view.hpp"
#include "cli/frame/errors.hpp"
#include "cli/frame/signals.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

using event::Loss;

struct Conversion {
  const Input& input;
  const TargetOptions& options;
  Planned plan;
  Passed passed;
  Loss loss{};
  bool written = false;
};

std::uint64_t events_lost(const Loss& loss) {
  return std::accumulate(loss.events.begin(), loss.events.end(), std::uint64_t{0});
}

std::string lost_text(const Loss& loss, std::string_view unit) {
  const auto line = [&](std::string_view what, std::uint64_t count) {
    return fmt::format("\n    {:<24} {}", what, base::count_text(count));
  };
  std::string text;
  if (events_lost(loss) != 0)
    text += fmt::format("\n  events lost, since the target cannot hold them: {}",
                        base::count_text(events_lost(loss)));
  for (std::size_t i = 0; i < loss.events.size(); ++i) {
    const auto kind = static_cast<event::Kind>(i);
    if (loss.events[i] != 0) text += line(event::describe(kind).name, loss.events[i]);
  }
  if (!loss.fields.empty()) text += fmt::format("\n  fields lost of {} that were written:", unit);
  for (const auto& [name, count] : loss.fields) text += line(name, count);
  return text;
}

std::string told_text(const Conversion& done) {
  std::string_view name = "standard output";
  if (done.options.output != "-") name = done.options.output;
  const Target& target = done.plan.target;
  const std::uint64_t kept = done.plan.route->given() - events_lost(done.loss);
  return fmt::format("{}: {} version {}, {} {}{}", show::printable(name), target.format->name,
                     target.write.version, base::count_text(kept), done.plan.route->unit(),
                     done.written ? "" : "; NOT written") +
         lost_text(done.loss, done.plan.route->unit());
}

void write_loss(base::JsonWriter& json, const Loss& loss) {
  json.member("events_lost", events_lost(loss));
  json.key("lost");
  json.begin_object();
  for (std::size_t i = 0; i < loss.events.size(); ++i) {
    if (loss.events[i] != 0)
      json.member(event::describe(static_cast<event::Kind>(i)).name, loss.events[i]);
  }
  json.end_object();
  json.key("fields_lost");
  json.begin_object();
  for (const auto& [name, count] : loss.fields) json.member(name, count);
  json.end_object();
}

std::string told_json(const Conversion& done) {
  std::string out;
  base::JsonWriter json(out);
  const Planned& plan = done.plan;
  json.begin_object();
  json.member("schema", "polytrace.convert/1");
  write_source(json, done.input, *plan.input, plan.route->input_version());
  json.key("output");
  json.begin_object();
  json.member("file", done.options.output);
  json.member("format", plan.target.format->name);
  json.member("version", plan.target.write.version);
  json.member("written", done.written);
  json.end_object();
  json.member(fmt::format("{}_read", plan.route->unit()), plan.route->read());
  write_loss(json, done.loss);
  write_outcome(json, done.passed);
  json.end_object();
  return out + '\n';
}

// The result, unless the trace itself goes there.
void tell(Session& session, const Conversion& done) {
  tell_notices(session, done.input.name(), done.passed.notices);
  if (!session.common.json) session.remark(told_text(done));
  else if (done.options.output == "-") print(told_json(done));
  else session.out().text() += told_json(done);
}

bool has_no_end(const Passed& passed) {
  using base::Code;
  return std::ranges::any_of(passed.notices, [](const base::Notice& notice) {
    return notice.code == Code::frame_truncated || notice.code == Code::end_missing ||
           notice.code == Code::segments_read;
  });
}

bool shall_lack_end(const Conversion& done) {
  return done.options.leave_open && done.plan.target.format->has_end && has_no_end(done.passed);
}

int run(Session& session, Conversion& done) {
  Route& route = *done.plan.route;
  const bool strict = done.input.options().strict;
  done.passed = route.go(session, done.input);
  if (route.failure()) return session.fail(*route.failure(), done.options.output);
  done.loss = route.loss();
  const bool lossy = done.loss.total() != 0;
  if (done.passed.interrupted) take_time_to_end();
  const bool wanted = !strict || (!lossy && done.passed.exit_code() == 0);
  if (wanted && !keeps_old(done.passed, done.options.output)) {
    if (done.passed.interrupted || shall_lack_end(done)) route.leave_open();
    if (auto finished = route.finish(); !finished)
      return session.fail(finished.error(), done.options.output);
    done.loss = route.loss();
    done.written = true;
  }
  tell(session, done);
  const int code = conclude(session, done.input, done.passed);
  return code == 0 && strict && lossy ? kCheckFailed : code;
}

}  // namespace

int convert(Session& session, const Input& input, const TargetOptions& options,
            const Change& change) {
  auto plan = plan_route(input, options, change);
  if (!plan) return session.fail(plan.error().error, plan.error().file);
  Conversion done{input, options, std::move(*plan), {}};
  return run(session, done);
}

int convert(Session& session, const InputOptions& input_options, const TargetOptions& options) {
  return convert(session, Input(input_options), options, {});
}

void add_conversion_options(OptionList& list, InputOptions& input, TargetOptions& target,
                            const char* to) {
  list.add("--strict", input.strict,
           "Write nothing if the input has a problem (exit code 4) or the target cannot hold "
           "everything (5)")
      .in("Input");
  list.add(to, target.to,
           "The format to write, as polytrace formats names it (default: by the output's "
           "ending, else the input's own)")
      .takes("FORMAT[:VERSION]")
      .in("Output");
  list.add("--to-version,--dialect", target.to_version,
           "The version or dialect of the format to write (default: the first one that polytrace "
           "formats lists)")
      .takes("VERSION")
      .in("Output");
  add_output_options(list, target);
}

}  // namespace polytrace::cli
