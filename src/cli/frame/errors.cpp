// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/errors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/output.hpp"
#include "cli/show/text_room.hpp"
#include "service/json/parts.hpp"

namespace polytrace::cli {

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

void print(std::string_view text) {
  Output out(STDERR_FILENO);
  out.text() = text;
  out.flush();
}

void print_live(std::string_view line) {
  const std::string text = "\r" + printable(line) + "\x1b[K";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace polytrace::cli
