// SPDX-License-Identifier: Apache-2.0
#include "base/text/terminal_text.hpp"

#include <gtest/gtest.h>

namespace polytrace::base {
namespace {

TEST(terminal_text, shows_what_a_terminal_would_obey) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("a\x1b[2Jb\n\tc"), "a\\x1b[2Jb\\x0a\\x09c");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1A\xff"),
            "\\xc2\\x9b1A\\xff");
  EXPECT_EQ(printable("a\u202e\u2066z"), "a\\u{202e}\\u{2066}z");
  EXPECT_EQ(printable("größe 大"), "größe 大");
}

TEST(terminal_text, door_keeps_lines_and_what_is_asked_for) {
  TerminalDoor styled(TerminalDoor::Styles::kept);
  EXPECT_EQ(styled.pass("\x1b[1;31mred\x1b[0m\tx\n\x1b[31mno\x1b]0;t\a"),
            "\x1b[1;31mred\x1b[0m\tx\n\\x1b[31mno\\x1b]0;t\\x07");
  TerminalDoor plain;
  EXPECT_EQ(plain.pass("\x1b[1mbold\r\n"), "\\x1b[1mbold\\x0d\n");
}

// Wherever the pieces are cut, all of them together say the same.
TEST(terminal_text, door_takes_pieces) {
  const std::string text = "a\u202eb größe 大\x1b[1;31m\x1b[9m\xe5\xa4\n\xf0\x9f\x98\x80\xc3";
  for (const auto styles : {TerminalDoor::Styles::kept, TerminalDoor::Styles::shown}) {
    TerminalDoor whole(styles);
    std::string expected = whole.pass(text);
    expected += whole.finish();
    EXPECT_TRUE(expected.ends_with("\\xe5\\xa4\n\xf0\x9f\x98\x80\\xc3")) << expected;
    for (std::size_t size = 1; size < text.size(); ++size) {
      TerminalDoor door(styles);
      std::string got;
      for (std::size_t at = 0; at < text.size(); at += size)
        got += door.pass(std::string_view(text).substr(at, size));
      EXPECT_EQ(got + door.finish(), expected) << size;
    }
  }
}

}  // namespace
}  // namespace polytrace::base
