// SPDX-License-Identifier: Apache-2.0
// How far a run has come: a line on a terminal that is rewritten and goes away at the end, or JSON
// objects for programs. Called in turn by the pump; prints at most ten times a second.
#pragma once

#include <chrono>
#include <string>

#include "base/io/source.hpp"
#include "cli/frame/session.hpp"

namespace polytrace::cli {

class Progress {
 public:
  explicit Progress(const Session& session);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // removes the line

  bool wanted() const { return form_ != Form::none; }
  void update(const base::Source& source);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Form : std::uint8_t { none, line, json };

  std::string line(const base::Source& source, double seconds) const;
  static std::string json(const base::Source& source, double seconds);

  Form form_ = Form::none;
  bool shown_ = false;
  unsigned width_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + std::chrono::milliseconds(500);
};

}  // namespace polytrace::cli
