// SPDX-License-Identifier: Apache-2.0
// Counters of a recording: for the control server's STATUS and, through the segment file, for live
// lines of other processes (docs/formats/native.md, section 9). Single counters are exact; together
// they are of about the same moment. Any thread may read, and so may a process that maps the file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace polytrace::agent {

inline constexpr std::uint32_t kStatusMark = 0x54535450;  // "PTST"
inline constexpr std::size_t kStatusOffset = 1024;        // in the segment file

// Of the recorder: a number in the status, and in messages of the control protocol, which know no
// failure: to clients a recording that failed is over.
enum class State : std::uint32_t { idle, running, paused, stopping, failed };

constexpr std::string_view name_of(State state) {
  constexpr std::string_view kNames[] = {"idle", "running", "paused", "stopping", "failed"};
  const auto index = static_cast<std::size_t>(state);
  return index < std::size(kNames) ? kNames[index] : "?";
}

// Why a recording ended before it was to: a number in the status.
enum class Cut : std::uint64_t {
  none,
  limit,   // it is as large as Options::limit
  disk,    // the disk has less left than is to stay free
  output,  // it can be written no further: `write_error` says why
  time,    // it has lasted as long as it was to, which is no loss
};

struct Status {
  using Counter = std::atomic<std::uint64_t>;

  std::uint32_t mark = kStatusMark;
  std::uint32_t size = sizeof(Status);  // of what is known; later versions append

  Counter state{0};          // agent::State
  Counter started{0};        // CLOCK_REALTIME, nanoseconds
  Counter updated{0};        // the same, of the writer's last round
  Counter events{0};         // in the stream
  Counter definitions{0};    // of these: agent-wide
  Counter bytes{0};          // of the stream
  Counter blocks{0};         // of the stream
  Counter lost{0};           // events dropped: policy, or callbacks that may not wait
  Counter stalls{0};         // times a thread had to wait for a segment
  Counter stalled{0};        // nanoseconds, all threads together
  Counter threads{0};        // that record now
  Counter segment_bytes{0};  // mapped
  Counter segment_bytes_used{0};
  Counter lag{0};          // nanoseconds the writer's last round took
  Counter write_error{0};  // errno that ended the recording
  Counter cut{0};          // agent::Cut; told when the output is closed
  Counter left_out{0};     // methods and classes named that could not be instrumented
};
static_assert(sizeof(Status) == 144 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace polytrace::agent
