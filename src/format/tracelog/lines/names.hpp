// SPDX-License-Identifier: Apache-2.0
// Names as a log quotes them: there is no escape character, so quotes are told apart by where they
// stand. docs/formats/tracelog.md, section 3.1. Pure functions; thread-safe.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace polytrace::format::tracelog {

// `text` goes from one quote to another, which is the last on its line. False when it is too short.
bool unquote(std::string_view text, std::string_view& name);
// Function, return type and signature out of such a text. False when it holds fewer than three.
bool unquote_three(std::string_view text, std::array<std::string_view, 3>& names);

// Whether all of `text` is UTF-8.
bool is_utf8(std::string_view text);

// Appends what one line can hold: CR, LF and NUL become U+FFFD. Says whether there were any.
bool append_one_line(std::string& to, std::string_view text);

}  // namespace polytrace::format::tracelog
