// SPDX-License-Identifier: Apache-2.0
// Files of text: a sink that takes them piece by piece, and names that fit into their lines.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/io/sink.hpp"

namespace polytrace::exports {

// Append to text(), call drain() now and then, flush() at the end. One thread at a time.
class TextSink {
 public:
  explicit TextSink(base::Sink& sink) : sink_(sink) {}

  std::string& text() { return text_; }
  // Writes when much has gathered.
  base::result<void> drain() { return text_.size() < kMuch ? base::result<void>{} : flush(); }
  base::result<void> flush() {
    auto written = sink_.write(std::as_bytes(std::span(text_)));
    text_.clear();
    return written;
  }

 private:
  static constexpr std::size_t kMuch = 256 * 1024;
  base::Sink& sink_;
  std::string text_;
};

// A name without control characters and line ends, valid UTF-8. Characters of `unwelcome` become
// `instead`, others that a line cannot hold become U+FFFD or a blank. Never empty. Pure;
// thread-safe.
std::string line_text(std::string_view name, std::string_view unwelcome = {}, char instead = ':');

}  // namespace polytrace::exports
