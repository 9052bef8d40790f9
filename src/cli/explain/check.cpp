// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/frame/commands.hpp"
#include "cli/frame/errors.hpp"
#include "service/input/overview.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

struct CheckResult {
  const Input& input;
  const format::Opened& opened;
  const Passed& passed;
  bool strict;
  Overview overview;

  bool has_warnings() const { return !passed.notices.empty() || !overview.cut_off.empty(); }
  bool ok() const { return !passed.is_partial() && !(strict && has_warnings()); }
};

std::string verdict(const CheckResult& result) {
  const Passed& passed = result.passed;
  if (passed.interrupted) return "interrupted";
  if (passed.outcome.error) return "cannot be read to its end";
  if (passed.is_partial()) return "damaged";
  if (!result.overview.cut_off.empty()) return "cut off";
  return result.has_warnings() ? "whole, with warnings" : "ok";
}

std::string occurrence_text(const base::Place& place, const std::string& detail) {
  return printable(base::to_text(place)) +
         (detail.empty() ? "" : ": " + printable(detail));
}

constexpr std::size_t kFewPlaces = 10;  // of each kind, unless all are asked for

void append_notice(std::string& out, const base::Notice& notice, bool all) {
  const base::CodeInfo& code = base::describe(notice.code);
  out += fmt::format("  {}: {}{}\n", code.name, code.sentence, extent_text(notice));
  out += fmt::format("    hint: {}\n", code.next);
  out += fmt::format("    {}\n", occurrence_text(notice.first, notice.detail));
  const std::size_t kept = notice.others.size();
  const std::size_t shown = all ? kept : std::min(kept, kFewPlaces - 1);
  for (const base::Occurrence& other : std::span(notice.others).first(shown))
    out += fmt::format("    {}\n", occurrence_text(other.place, other.detail));
  if (const auto rest = notice.count - 1 - shown; rest != 0)
    out += fmt::format("    and {} more{}\n", base::count_text(rest),
                       shown == kept ? "" : " (--all lists them)");
}

void append_check_text(std::string& out, const CheckResult& result, const Look& look,
                       bool all) {
  out +=
      printable(result.input.name()) + ": " +
      paint(look.terminal, result.ok() ? Style::good : Style::error, verdict(result)) +
      fmt::format(" ({} version {}: {} events in {} frames)\n", result.opened.format->name,
                  result.opened.reader->version(), base::count_text(result.overview.total()),
                  base::count_text(result.passed.outcome.tally.frames));
  if (!result.overview.cut_off.empty())
    out +=
        fmt::format("  the recording was cut off: {}\n", printable(result.overview.cut_off));
  for (const base::Notice& notice : result.passed.notices) append_notice(out, notice, all);
}

void append_check_json(std::string& out, const CheckResult& result) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.check/1");
  write_source(json, result.input, *result.opened.format, result.opened.reader->version());
  json.member("ok", result.ok());
  json.member("events", result.overview.total());
  json.member("frames", result.passed.outcome.tally.frames);
  json.key("cut_off");
  if (result.overview.cut_off.empty()) json.null();
  else json.value(result.overview.cut_off);
  write_outcome(json, result.passed);
  json.key("places");
  write_places(json, result.passed.notices);
  json.end_object();
  out += '\n';
}

class Check final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "check",
        "is this trace whole?",
        "[OPTIONS] FILE",
        "Reads every byte of the trace. Prints \"ok\", or each kind of deviation from the format "
        "with how often it occurs, how many bytes could not be read because of it, and where: the "
        "first ten places of each kind, with --all and in JSON the first 1,000. A deviation that "
        "costs nothing is a warning.",
        {{"is the file whole?", "polytrace check app.mlpd && echo whole"},
         {"only the exit code", "polytrace check app.mlpd > /dev/null"},
         {"the problems as JSON", "polytrace check --json app.mlpd | jq .notices"},
         {"fail on warnings, too", "polytrace check --strict app.mlpd"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "polytrace help exit-codes, docs/reference/json.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_file(list, input_);
    add_reading_options(list, input_, Following::offered);
    list.add("--strict", strict_,
             "Warnings, and a recording that was cut off, are failures: exit code 5")
        .in("Input");
    list.add("--all", all_, "List the first 1,000 places of each kind, not ten").in("Output");
  }
  int run(Session& session) override {
    const Input input(input_);
    auto opened = input.open();
    if (!opened) return session.fail(opened.error(), input.name());
    OverviewConsumer consumer;
    const Passed passed = pass(session, input, *opened->reader, consumer);
    const CheckResult result{input, *opened, passed, strict_, consumer.take()};
    if (session.common.json) append_check_json(session.out().text(), result);
    else append_check_text(session.out().text(), result, session.look(), all_);
    const int code = conclude(session, input, passed);
    return code == 0 && !result.ok() ? kCheckFailed : code;
  }

 private:
  InputOptions input_;
  bool all_ = false;
  bool strict_ = false;  // not the input's: every problem is wanted, not the first one
};

}  // namespace

std::unique_ptr<Command> make_check() { return std::make_unique<Check>(); }

}  // namespace polytrace::cli
