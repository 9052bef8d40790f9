// SPDX-License-Identifier: Apache-2.0
// TBF bytes in canonical form: version 1.0, UTF-8, times in nanoseconds as ticks of 10^9 Hz,
// inclusive sizes. One thread at a time.
#pragma once

#include "base/io/appender.hpp"
#include "format/tptp/messages/byte_order.hpp"
#include "format/tptp/messages/call_record.hpp"

namespace polytrace::format::tptp {

class MessageEncoder {
 public:
  explicit MessageEncoder(ByteOrder order) : order_(order) {}

  // The header and the two system messages with which a stream begins. `platform` is 0 for a
  // traced process of 32 bits, 1 for one of 64.
  void begin(base::Appender& out, std::uint8_t platform) const;
  // Numbers are cut to their type, a depth is the length of the longest list behind it, zeros in
  // texts become U+FFFD. An empty transient class of a methodExit becomes its class.
  void append(base::Appender& out, const Message& message);
  void append(base::Appender& out, const CallRecord& call) const;

 private:
  template <ByteOrder order>
  static void append_as(base::Appender& out, const CallRecord& call);
  template <class T>
  void number(base::Appender& out, T value) const;
  void text(base::Appender& out, std::string_view text) const;
  void value(base::Appender& out, const Message& message, unsigned index, std::size_t depth) const;

  ByteOrder order_;
  base::Appender payload_;
};

}  // namespace polytrace::format::tptp
