// SPDX-License-Identifier: Apache-2.0
// Events as lines of canonical text, in and out of a transformation.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "event/text/text.hpp"
#include "event/writer.hpp"

namespace polytrace::transform::test {

using Lines = std::vector<std::string>;

inline void parse(event::Batch& batch, const Lines& lines) {
  for (const std::string& line : lines) ASSERT_TRUE(event::parse_text(line, batch)) << line;
}

inline Lines lines_of(const event::Batch& batch) {
  Lines lines;
  for (const event::Event& event : batch.events) lines.push_back(event::to_text(batch, event));
  return lines;
}

// Appends what is written to `lines`, which outlive it.
class LineWriter final : public event::Writer {
 public:
  explicit LineWriter(Lines& lines) : lines_(lines) {}
  base::result<void> write(const event::Batch& batch) override {
    for (std::string& line : lines_of(batch)) lines_.push_back(std::move(line));
    return {};
  }
  void leave_open() override {}
  base::result<void> finish() override { return {}; }
  const event::Loss& loss() const override { return loss_; }

 private:
  Lines& lines_;
  event::Loss loss_;
};

}  // namespace polytrace::transform::test
