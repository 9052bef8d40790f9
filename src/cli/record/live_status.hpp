// SPDX-License-Identifier: Apache-2.0
// How far a recording has come: its counters, in the segment file that the recorded process shares.
// Once found they can be read even after that process has ended and the file has gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/common/memory/status.hpp"

namespace polytrace::cli {

struct RecordingFigures {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t stalled = 0;  // nanoseconds
  std::uint64_t write_error = 0;
  agent::Cut cut = agent::Cut::none;
};

class LiveStatus {
 public:
  // `stream`: the path of the recording.
  explicit LiveStatus(const std::string& stream) : path_(stream + ".segments") {}
  LiveStatus(const LiveStatus&) = delete;
  LiveStatus& operator=(const LiveStatus&) = delete;
  ~LiveStatus();

  // Looks for the file, if it is not mapped yet.
  bool found();
  std::optional<RecordingFigures> figures();

 private:
  std::string path_;
  void* memory_ = nullptr;
};

}  // namespace polytrace::cli
