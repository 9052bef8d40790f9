// SPDX-License-Identifier: Apache-2.0
// What a frame of a TBF stream changes for the frames behind it: headers, system messages, the unit
// of times. Whoever cuts a stream and whoever decodes it apply the same rules.
#pragma once

#include "base/notices.hpp"
#include "event/tally.hpp"
#include "format/tptp/tbf/frame.hpp"

namespace polytrace::format::tptp {

// Numbers of what is no data message in event::Tally.
inline constexpr std::uint8_t kEncodingRecord = 250;
inline constexpr std::uint8_t kFrequencyRecord = 251;

// Where decoding is accounted for.
struct Account {
  event::Tally& tally;
  base::Notices& notices;

  void count(std::uint8_t record, std::size_t bytes) {
    ++tally.records[record].count;
    tally.records[record].bytes += bytes;
  }
};

struct Applied {
  bool tells_clock = false;  // the first time of the stream stands in this message
  std::int64_t time = 0;     // as in the stream; 0 when there is none
};

// Tells once that sizes do not count headers: `before` is what the state said before find_frame().
void tell_sizes(Sizes before, const StreamState& state, std::uint64_t offset, Account& account);

// `bytes` is the frame, at `offset` in the stream. Accounts for headers and system messages when
// there is an account; data messages are their decoder's.
Applied apply(const Frame& frame, base::Bytes bytes, std::uint64_t offset, StreamState& state,
              const base::Limits& limits, Account* account);

}  // namespace polytrace::format::tptp
