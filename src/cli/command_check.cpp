// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/notices_view.hpp"
#include "cli/overview.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

struct CheckResult {
  const Input& input;
  const format::Opened& opened;
  const Passed& passed;
  Overview overview;
};

std::string verdict(const Passed& passed) {
  if (!passed.is_partial()) return "ok";
  if (passed.interrupted) return "interrupted";
  return passed.outcome.error ? "cannot be read to its end" : "damaged";
}

void append_check_text(std::string& out, const CheckResult& result, const show::Look& look) {
  const Passed& passed = result.passed;
  const bool good = !passed.is_partial();
  out += show::printable(result.input.name()) + ": " +
         paint(look.terminal, good ? show::Style::good : show::Style::error, verdict(passed)) +
         fmt::format(" ({} version {}: {} events in {} frames)\n", result.opened.format->name,
                     result.opened.reader->version(),
                     show::count_text(result.overview.total(), look.numerals),
                     show::count_text(passed.outcome.tally.frames, look.numerals));
  for (const base::Notice& notice : passed.notices) {
    out += "  " + notice_text(notice) + '\n';
    out += fmt::format("    hint: {}\n", base::describe(notice.code).next);
  }
}

void append_check_json(std::string& out, const CheckResult& result) {
  show::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.check/1");
  write_source(json, result.input, result.opened);
  json.member("ok", !result.passed.is_partial());
  json.member("events", result.overview.total());
  json.member("frames", result.passed.outcome.tally.frames);
  write_outcome(json, result.passed);
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
        "Reads every byte of the trace. Prints \"ok\", or each kind of problem with its first "
        "place, how often it occurs, and how many bytes could not be read because of it.",
        {{"is the file whole?", "polytrace check app.mlpd && echo whole"},
         {"only the exit code", "polytrace check app.mlpd > /dev/null"},
         {"the problems as JSON", "polytrace check --json app.mlpd | jq .notices"},
         {"stop at the first problem", "polytrace check --strict app.mlpd"}},
        {0, 1, 2, 3, 4, 6, 130},
        "polytrace help exit-codes, docs/reference/json.md"};
    return kHelp;
  }
  void define(CLI::App& app) override { add_input_options(app, input_, Following::offered); }
  int run(Session& session) override {
    const Input input(input_);
    auto opened = input.open();
    if (!opened) return session.fail(opened.error(), input.name());
    OverviewConsumer consumer;
    const Passed passed = pass(session, input, *opened->reader, consumer);
    const CheckResult result{input, *opened, passed, consumer.take()};
    if (session.common.json) append_check_json(session.out().text(), result);
    else append_check_text(session.out().text(), result, session.look());
    return conclude(session, input, passed);
  }

 private:
  InputOptions input_;
};

}  // namespace

std::unique_ptr<Command> make_check() { return std::make_unique<Check>(); }

}  // namespace polytrace::cli
