// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/notices_view.hpp"

#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/frame/errors.hpp"
#include "cli/show/escape.hpp"
#include "cli/show/separated.hpp"

namespace polytrace::cli {
namespace {

std::string headline(const Passed& passed) {
  const std::uint64_t lost = passed.bytes_lost();
  if (!passed.is_partial()) return "NOTICES: nothing of the input is missing";
  std::string text = "NOTICES: this result is partial";
  if (lost != 0) text += fmt::format(", {} of the input were not read", base::bytes_text(lost));
  return text;
}

std::string stop_sentence(const Passed& passed) {
  if (passed.interrupted) return "interrupted: everything that was read so far is counted";
  if (passed.stopped_early) return "stopped at the first problem (--strict)";
  return {};
}

}  // namespace

void append_partial_text(std::string& out, const Passed& passed, const Look& look) {
  if (!passed.is_partial()) return;
  const std::string text = headline(passed) + ": see the end";
  out += paint(look.terminal, Style::error, text) + '\n';
}

void append_notices_text(std::string& out, const Passed& passed, const Look& look) {
  if (!passed.is_partial() && passed.notices.empty()) return;
  out += '\n' + paint(look.terminal, Style::error, headline(passed)) + '\n';
  for (const base::Notice& notice : passed.notices) {
    out += "  " + paint(look.terminal, Style::warning, notice_text(notice)) + '\n';
    out += fmt::format("    hint: {}\n", base::describe(notice.code).next);
  }
  if (passed.outcome.error)
    out += "  " + printable(base::to_text(*passed.outcome.error)) + '\n';
  if (const auto sentence = stop_sentence(passed); !sentence.empty()) out += "  " + sentence + '\n';
}

void append_notices_markdown(std::string& out, const Passed& passed) {
  if (!passed.is_partial() && passed.notices.empty()) return;
  out += fmt::format("\n## {}\n\n", markdown_text(headline(passed)));
  for (const base::Notice& notice : passed.notices)
    out += fmt::format("* {}\n", markdown_text(notice_text(notice)));
  if (passed.outcome.error)
    out += fmt::format("* {}\n", markdown_text(base::to_text(*passed.outcome.error)));
  if (const auto sentence = stop_sentence(passed); !sentence.empty()) out += "* " + sentence + '\n';
}

void tell_notices(const Session& session, std::string_view file,
                  const std::vector<base::Notice>& notices) {
  for (const base::Notice& notice : notices)
    session.remark(fmt::format("{}: {}\n  hint: {}", printable(file), notice_text(notice),
                               base::describe(notice.code).next));
}

}  // namespace polytrace::cli
