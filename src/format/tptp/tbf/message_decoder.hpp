// SPDX-License-Identifier: Apache-2.0
// Decodes the frames of a TBF stream one after the other, and accounts for every byte of them:
// decoded, or told in a notice. One thread at a time.
#pragma once

#include "format/tptp/tbf/payload_parser.hpp"
#include "format/tptp/tbf/stream_rules.hpp"

namespace polytrace::format::tptp {

class MessageDecoder {
 public:
  // All that is handed in outlives the decoder.
  MessageDecoder(StreamState& state, const base::Limits& limits, Account account)
      : state_(state), limits_(limits), account_(account), parser_(limits) {}

  // Takes the whole frame at the front of `rest`, which is at `offset`, and gives its bytes.
  // REQUIRES: a whole frame is there, as cut by TbfFraming.
  std::size_t take(base::Bytes rest, std::uint64_t offset);

  // That frame.
  const Frame& frame() const { return frame_; }
  // Whether that frame was a data message: it is then in message(), until the next call.
  bool has_message() const { return has_message_; }
  const Message& message() const { return message_; }
  // The first time of a stream stood in it: as in the stream, else 0.
  std::int64_t first_time() const { return first_time_; }

 private:
  void decode(const Frame& frame, base::Bytes bytes, std::uint64_t offset);
  void tell(const Parsed& parsed, std::uint64_t offset, std::size_t left_over);

  StreamState& state_;
  const base::Limits& limits_;
  Account account_;
  PayloadParser parser_;
  Frame frame_;
  Message message_;
  bool has_message_ = false;
  std::int64_t first_time_ = 0;
};

}  // namespace polytrace::format::tptp
