// SPDX-License-Identifier: Apache-2.0
// The data of one client: the native stream from its beginning, as it is or through a converter.
// The stream lies in its file, so a client that comes late or reads slowly costs the recording
// nothing. Server's thread only.
#pragma once

#include "agent/control/converter.hpp"
#include "agent/control/protocol/handler.hpp"

namespace polytrace::agent::control {

class Feed {
 public:
  Feed(Handler& handler, StreamFormat format) : handler_(handler), format_(format) {}

  // Starts the converter where the format needs one.
  bool open(const std::string& program, std::string& why);

  // Bytes for the client, 0 where there are none at the moment.
  std::size_t take(std::span<std::uint8_t> into);
  // There is something to take, as far as can be told without taking it.
  bool has_data() const;
  // Everything of this stream was taken.
  bool ended() const { return ended_; }
  // It ended because the converter did, with some of the stream not taken.
  bool failed() const { return ended_ && format_ != StreamFormat::kNative && !finished_; }
  std::uint64_t stream() const { return stream_; }

  // For poll(): descriptors to wait for, -1 where there are none.
  int wants_to_feed() const { return pending_.empty() ? -1 : converter_.input(); }
  int converted() const { return converter_.output(); }

 private:
  std::size_t take_native(std::span<std::uint8_t> into, bool& ended);
  void feed_converter();

  Handler& handler_;
  StreamFormat format_;
  std::uint64_t stream_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
  bool finished_ = false;  // the converter has got everything
  Converter converter_;
  std::vector<std::uint8_t> pending_;  // read from the stream, not yet taken by the converter
};

}  // namespace polytrace::agent::control
