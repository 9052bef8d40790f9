// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/show/text_room.hpp"
#include "service/ask/contents.hpp"

namespace polytrace::cli {
namespace {

std::string occurrence_text(const base::Place& place, const std::string& detail) {
  return printable(base::to_text(place)) + (detail.empty() ? "" : ": " + printable(detail));
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

void append_check_text(std::string& out, const service::Contents& contents, bool ok,
                       const Look& look, bool all) {
  const service::Origin& origin = contents.reading.origin;
  const service::Passed& passed = contents.reading.passed;
  out += printable(origin.file) + ": " +
         paint(look.terminal, ok ? Style::good : Style::error, verdict(contents)) +
         fmt::format(" ({} version {}: {} events in {} frames)\n", origin.format->name,
                     origin.version, base::count_text(contents.overview.total()),
                     base::count_text(passed.outcome.tally.frames));
  if (!contents.overview.cut_off.empty())
    out += fmt::format("  the recording was cut off: {}\n", printable(contents.overview.cut_off));
  for (const auto& group : contents.overview.uninstrumented.groups())
    out += fmt::format("  not recorded: {}\n", printable(analysis::text_of(group)));
  for (const base::Notice& notice : passed.notices) append_notice(out, notice, all);
}

class Check final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "check",
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
    const service::Input input(input_, session.asking());
    const auto contents = service::ask_contents(input);
    if (!contents) return session.refuse(contents.error());
    const auto strictness = strict_ ? service::Strictness::strict : service::Strictness::lenient;
    const bool ok = is_whole(*contents, strictness);
    std::string& out = session.out().text();
    if (session.common.json) out += check_json(*contents, strictness);
    else append_check_text(out, *contents, ok, session.look(), all_);
    const int code = conclude(session, contents->reading);
    return code == 0 && !ok ? kCheckFailed : code;
  }

 private:
  service::InputOptions input_;
  bool all_ = false;
  bool strict_ = false;  // not the input's: every problem is wanted, not the first one
};

}  // namespace

std::unique_ptr<Command> make_check() { return std::make_unique<Check>(); }

}  // namespace polytrace::cli
