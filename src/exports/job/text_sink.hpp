// SPDX-License-Identifier: Apache-2.0
// A text that goes to a sink piece by piece. Append to text(), call drain() now and then, flush()
// at the end. One thread at a time.
#pragma once

#include <span>
#include <string>

#include "base/io/sink.hpp"

namespace polytrace::exports {

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

}  // namespace polytrace::exports
