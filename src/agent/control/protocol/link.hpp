// SPDX-License-Identifier: Apache-2.0
// A socket that never blocks, with what is still to be sent through it. Server's thread only.
#pragma once

#include "agent/control/protocol/endpoint.hpp"
#include "agent/control/protocol/frames.hpp"

namespace polytrace::agent::control {

class Link {
 public:
  explicit Link(Descriptor socket) : socket_(std::move(socket)) {}

  enum class Got : std::uint8_t { bytes, nothing, end, broken };
  // Appends what has arrived, at most 64 KiB.
  Got receive(Bytes& into);

  void queue(View bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void queue(std::string_view text);
  // Sends what the socket takes. False when the other end is gone. `moved`: something went out.
  bool flush(bool& moved);
  std::size_t waiting() const { return out_.size() - sent_; }

  int socket() const { return socket_.get(); }

 private:
  Descriptor socket_;
  Bytes out_;
  std::size_t sent_ = 0;
};

}  // namespace polytrace::agent::control
