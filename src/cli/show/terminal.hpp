// SPDX-License-Identifier: Apache-2.0
// What the place we print to can do, and whether it wants colours. Colour never carries meaning
// alone. Reads the environment; thread-safe as long as nobody changes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace polytrace::cli {

enum class ColorMode : std::uint8_t { automatic, always, never };

struct Terminal {
  bool is_tty = false;
  bool color = false;
  bool unicode = false;  // the locale is UTF-8: block characters, the ellipsis
  unsigned width = 0;    // columns; 0 = not a terminal, no limit
};

// Of a file descriptor. In automatic mode NO_COLOR (not empty) forbids colours, CLICOLOR_FORCE (not
// empty, not 0) asks for them, TERM=dumb forbids them; else a terminal gets them.
Terminal inspect_terminal(int fd, ColorMode mode);

enum class Style : std::uint8_t { plain, heading, faint, warning, error, good };

// `text` in that style where the terminal has colours, else as it is.
std::string paint(const Terminal& terminal, Style style, std::string_view text);

}  // namespace polytrace::cli
