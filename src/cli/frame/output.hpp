// SPDX-License-Identifier: Apache-2.0
// A file descriptor with a buffer. Append to text(), call drain() now and then, flush() at the end.
// A terminal gets nothing that it would obey besides styles. One thread at a time.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/text/terminal_text.hpp"

namespace polytrace::cli {

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

}  // namespace polytrace::cli
