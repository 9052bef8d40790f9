// SPDX-License-Identifier: Apache-2.0
// Where what is printed goes: a descriptor with a buffer, and a pager between us and the terminal.
// One thread at a time.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/text/terminal_text.hpp"

namespace polytrace::cli {

// A file descriptor with a buffer. Append to text(), call drain() now and then, flush() at the end.
// A terminal gets nothing that it would obey besides styles.
class Output {
 public:
  explicit Output(int fd);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::string& text() { return text_; }
  // Of what follows, no style is ours.
  void expect_no_styles() {
    if (door_) door_.emplace();
  }
  // Writes when much has gathered. False once a write has failed.
  bool drain() { return text_.size() < kMuch ? !fault_ : flush(); }
  bool flush();
  const std::optional<base::Error>& fault() const { return fault_; }

 private:
  static constexpr std::size_t kMuch = 256 * 1024;
  int fd_;
  std::optional<base::TerminalDoor> door_;
  std::string text_;
  std::optional<base::Error> fault_;
};

// To standard error, at once and whole.
void print(std::string_view text);
// In the place of the line before, on a terminal. An empty one takes it away.
void print_live(std::string_view line);

// A program that shows a long text a screen at a time. One at a time in a process: it takes
// standard output's place.
class Pager {
 public:
  Pager() = default;
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager() { end(); }

  // Standard output, and standard error where it is a terminal, too, go through $POLYTRACE_PAGER,
  // else $PAGER, else less, which ends at once where all fits a screen. Nothing happens where
  // standard output is no terminal or a dumb one, where the variable is empty or "cat", and where
  // there is no less.
  void begin();
  // Waits until the user has seen enough. What is printed then stands behind it.
  void end();

 private:
  static constexpr int kNone = -1;
  pid_t child_ = 0;     // 0: none runs
  int output_ = kNone;  // the terminal, to be put back
  int error_ = kNone;
};

}  // namespace polytrace::cli
