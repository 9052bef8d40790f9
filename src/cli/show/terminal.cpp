// SPDX-License-Identifier: Apache-2.0
#include "cli/show/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>

#include "base/text/terminal_text.hpp"
#include "service/words/environment.hpp"

namespace polytrace::cli {
namespace {

bool wants_color(bool is_tty) {
  if (!service::variable("NO_COLOR").empty()) return false;
  const auto force = service::variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return is_tty && service::variable("TERM") != "dumb";
}

bool is_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = service::variable(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

unsigned columns(int fd) {
  unsigned width = 0;
  const auto told = service::variable("COLUMNS");
  std::from_chars(told.data(), told.data() + told.size(), width);
  winsize size{};
  if (width == 0 && ioctl(fd, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width == 0 ? 80 : width;
}

}  // namespace

Terminal inspect_terminal(int fd, ColorMode mode) {
  Terminal terminal;
  terminal.is_tty = isatty(fd) == 1;
  terminal.color =
      mode == ColorMode::automatic ? wants_color(terminal.is_tty) : mode == ColorMode::always;
  terminal.unicode = is_unicode();
  terminal.width = terminal.is_tty ? columns(fd) : 0;
  return terminal;
}

std::string paint(const Terminal& terminal, Style style, std::string_view text) {
  if (!terminal.color || style == Style::plain) return std::string(text);
  return fmt::format("{}{}{}", base::style_on(static_cast<std::size_t>(style)), text,
                     base::kStyleOff);
}

}  // namespace polytrace::cli
