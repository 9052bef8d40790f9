// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/notices_view.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/signals.hpp"
#include "cli/show/text_room.hpp"
#include "service/json/parts.hpp"

namespace polytrace::cli {
namespace {

std::string headline(const service::Passed& passed) {
  const std::uint64_t lost = passed.bytes_lost();
  if (!passed.is_partial()) return "NOTICES: nothing of the input is missing";
  std::string text = "NOTICES: this result is partial";
  if (lost != 0) text += fmt::format(", {} of the input were not read", base::bytes_text(lost));
  return text;
}

std::string stop_sentence(const service::Passed& passed) {
  if (passed.interrupted) return "interrupted: everything that was read so far is counted";
  if (passed.stopped_early) return "stopped at the first problem (--strict)";
  return {};
}

}  // namespace

std::string error_text(const base::Error& error, std::string_view file, const Terminal& terminal) {
  std::string text = paint(terminal, Style::error, "polytrace:") + ' ';
  // A usage error is about the command line, not about the file.
  if (!file.empty() && error.code != base::Code::usage) text += printable(file) + ": ";
  text += printable(service::sentence(error)) + '\n';
  const auto next = base::describe(error.code).next;
  if (!next.empty()) text += fmt::format("  hint: {}\n", next);
  return text;
}

std::string extent_text(const base::Notice& notice) {
  std::string extent;
  if (notice.count > 1) extent = fmt::format("{} times", notice.count);
  if (notice.bytes != 0)
    extent +=
        fmt::format("{}{} not read", extent.empty() ? "" : ", ", base::bytes_text(notice.bytes));
  return extent.empty() ? extent : fmt::format(" ({})", extent);
}

std::string notice_text(const base::Notice& notice) {
  return printable(base::to_text({notice.code, notice.first, notice.detail})) + extent_text(notice);
}

void append_partial_text(std::string& out, const service::Passed& passed, const Look& look) {
  if (!passed.is_partial()) return;
  const std::string text = headline(passed) + ": see the end";
  out += paint(look.terminal, Style::error, text) + '\n';
}

void append_notices_text(std::string& out, const service::Passed& passed, const Look& look) {
  if (!passed.is_partial() && passed.notices.empty()) return;
  out += '\n' + paint(look.terminal, Style::error, headline(passed)) + '\n';
  for (const base::Notice& notice : passed.notices) {
    out += "  " + paint(look.terminal, Style::warning, notice_text(notice)) + '\n';
    out += fmt::format("    hint: {}\n", base::describe(notice.code).next);
  }
  if (passed.outcome.error) out += "  " + printable(base::to_text(*passed.outcome.error)) + '\n';
  if (const auto sentence = stop_sentence(passed); !sentence.empty()) out += "  " + sentence + '\n';
}

void append_notices_markdown(std::string& out, const service::Passed& passed) {
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

int exit_code(const service::Passed& passed) {
  constexpr int kSignals = 128;
  if (passed.interrupted) return kSignals + stop_signal();
  const int worst = passed.worst();
  return worst == 0 && passed.stopped_early ? kCheckFailed : worst;
}

int conclude(const Session& session, const service::Reading& reading) {
  const service::Passed& passed = reading.passed;
  if (passed.outcome.error) session.fail(*passed.outcome.error, reading.origin.file);
  if (passed.interrupted)
    session.remark("interrupted: the result is partial, of what was read so far");
  else if (passed.stopped_early)
    session.remark("stopped at the first problem (--strict): the result is partial");
  return exit_code(passed);
}

void tell_notices(const Session& session, const service::Reading& reading) {
  tell_notices(session, reading.origin.file, reading.passed.notices);
}

}  // namespace polytrace::cli
