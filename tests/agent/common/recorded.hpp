// SPDX-License-Identifier: Apache-2.0
// What a recording holds, by a decoder of its own: written from docs/formats/native.md and sharing
// no code with the recorder, so that both can be wrong only together with the page.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace polytrace::test {

struct Recorded {
  struct Event {
    enum Kind { kEnter, kLeave, kUnwind, kAlloc, kAllocArray, kBody };
    Kind kind = kBody;
    std::uint64_t thread = 0;
    std::uint64_t tick = 0;
    std::uint64_t value = 0;  // method, site, or number of the body's kind
    std::uint64_t extra = 0;  // length of an array; subject of a body plus 1
    std::string body;         // behind kind and subject
  };
  struct Line {
    std::uint64_t tick0 = 0;
    std::int64_t time0 = 0;
    std::uint64_t rate = 0;
  };
  std::vector<Event> events;  // in stream order; what was left in segments behind them
  std::vector<Line> lines;
  std::uint64_t stream = 0;
  std::uint64_t sites = 0;
  std::uint64_t blocks = 0;
  bool ended = false;      // the end block is there
  bool cut_short = false;  // bytes behind the last whole block
  std::string fault;       // the first thing that is not as the page says; "" for none

  std::size_t count(Event::Kind kind) const;
  std::map<std::uint64_t, std::vector<Event>> by_thread() const;
  // Sum of the `records` of all Lost events.
  std::uint64_t lost() const;
  static std::uint64_t lost_in(const std::vector<Event>& some);
  // What Cpu events tell of a thread, in nanoseconds.
  struct Cpu {
    std::uint64_t tick = 0;
    std::uint64_t used = 0;
    std::uint64_t span = 0;  // 0: not told
  };
  std::vector<Cpu> cpu_of(std::uint64_t thread) const;
};

// Of the stream file, and of the segment file beside it if that is there.
Recorded read_recording(const std::string& stream_file, const std::string& segment_file = "");
// By a table made from the polynomial, a byte at a time.
std::uint32_t slow_crc32c(const void* bytes, std::size_t size);

}  // namespace polytrace::test
