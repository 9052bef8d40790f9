// SPDX-License-Identifier: Apache-2.0
// What earlier messages of a TBF stream decided for the later ones. A value: a chunk of messages
// can be decoded anywhere by starting from a copy.
#pragma once

#include "format/tptp/messages/byte_order.hpp"
#include "format/tptp/messages/charset.hpp"
#include "format/tptp/messages/time_base.hpp"

namespace polytrace::format::tptp {

// Whether a message's size counts its header of 6 bytes.
enum class Sizes : std::uint8_t { undecided, inclusive, exclusive };

struct StreamState {
  bool started = false;  // there was a header
  std::uint8_t major = 1;
  std::uint8_t minor = 0;
  std::uint8_t platform = 1;  // 0 = 32 bits, 1 = 64 bits
  ByteOrder order = ByteOrder::little;
  Sizes sizes = Sizes::undecided;
  Charset charset = Charset::utf8;
  TimeBase times;
  base::Time now = 0;       // of the last message that had a time, in nanoseconds
  bool had_data = false;    // system messages now come late
  bool told_clock = false;  // the times' meaning was made an event
};

}  // namespace polytrace::format::tptp
