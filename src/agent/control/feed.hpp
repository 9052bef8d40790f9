// SPDX-License-Identifier: Apache-2.0
// The data of one client: the native stream from its beginning, as it is or through a converter.
// The stream lies in its file, so a client that comes late or reads slowly costs the recording
// nothing. Server's thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/control/protocol/endpoint.hpp"
#include "agent/control/protocol/handler.hpp"
#include "agent/control/protocol/negotiation.hpp"
#include "base/result.hpp"

namespace polytrace::agent::control {

// A child that turns the native stream into XML or TBF for one client:
//   polytrace convert - --to trcxml -o -
// Neither of its ends ever blocks.
class Converter {
 public:
  Converter() = default;
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  // Kills the child if it still runs.
  ~Converter();

  // `program`: the path of polytrace. Fails where it cannot be run.
  base::result<void> start(const std::string& program, StreamFormat format);
  bool runs() const { return process_ > 0; }

  // How many of the bytes it took: fewer, or none, when it has enough for now.
  std::size_t feed(std::span<const std::uint8_t> bytes);
  // Nothing more will be fed.
  void finish() { input_.close(); }
  // What it has made; 0 when nothing is there at the moment. `ended`: nothing more will come.
  std::size_t take(std::span<std::uint8_t> into, bool& ended);
  bool has_output() const;

  // For poll(): -1 where there is nothing to wait for.
  int input() const { return input_.get(); }
  int output() const { return output_.get(); }

 private:
  Descriptor input_, output_;
  pid_t process_ = -1;
};

class Feed {
 public:
  // `offset`: in the stream, where it begins.
  Feed(Handler& handler, StreamFormat format, std::uint64_t offset = 0)
      : handler_(handler), format_(format), offset_(offset) {}

  // Starts the converter where the format needs one.
  base::result<void> open(const std::string& program);

  // Bytes for the client, 0 where there are none at the moment.
  std::size_t take(std::span<std::uint8_t> into);
  // There is something to take, as far as can be told without taking it.
  bool has_data() const;
  // Everything of this stream was taken.
  bool ended() const { return ended_; }
  // It ended because the converter did, with some of the stream not taken.
  bool failed() const { return ended_ && format_ != StreamFormat::native && !finished_; }
  std::uint64_t stream() const { return stream_; }
  // In the stream, behind what was read of it.
  std::uint64_t offset() const { return offset_; }

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
