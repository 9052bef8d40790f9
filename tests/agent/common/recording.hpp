// SPDX-License-Identifier: Apache-2.0
// A recording into a folder of its own, stopped at the end of the test whatever happens.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "agent/common/record/recorder.hpp"
#include "agent/common/recorded.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::test {

inline constexpr base::Duration kPatience = 150'000'000'000;  // never reached unless it hangs

class Recording {
 public:
  // `options` as for an agent; the file is added.
  explicit Recording(std::string_view options = "", int fd = -1) {
    agent::Faults faults;
    agent::Options parsed = agent::parse_options(options, faults);
    if (parsed.file.empty()) parsed.file = file();
    parsed.min_free = 0;
    if (parsed.cpu == agent::kAuto) parsed.cpu = 0;  // only what threads do is in their streams
    if (fd >= 0) parsed.segments = folder_.file(".");
    started_ = agent::Recorder::the().start(parsed, faults, fd);
    for (const std::string& fault : faults) ADD_FAILURE() << fault;
  }
  ~Recording() { stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  bool started() const { return started_; }
  bool stop(base::Duration patience = kPatience) { return agent::Recorder::the().stop(patience); }
  std::string file() const { return folder_.file("trace.ptrace"); }
  const TemporaryFolder& folder() const { return folder_; }
  Recorded read() const { return read_recording(file()); }
  // Without what is still in segments.
  Recorded read_stream() const { return read_recording(file(), folder_.file("none")); }
  Recorded stop_and_read() {
    EXPECT_TRUE(stop());
    Recorded recorded = read();
    EXPECT_EQ(recorded.fault, "");
    EXPECT_TRUE(recorded.ended);
    EXPECT_FALSE(recorded.cut_short);
    return recorded;
  }

 private:
  TemporaryFolder folder_;
  bool started_ = false;
};

}  // namespace polytrace::test
