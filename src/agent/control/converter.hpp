// SPDX-License-Identifier: Apache-2.0
// A child that turns the native stream into XML or TBF for one client:
//   polytrace convert - --to trcxml -o -
// Neither of its ends ever blocks. Used by the server's thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "agent/control/protocol/endpoint.hpp"
#include "agent/control/protocol/negotiation.hpp"

namespace polytrace::agent::control {

class Converter {
 public:
  Converter() = default;
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  // Kills the child if it still runs.
  ~Converter();

  // `program`: the path of polytrace. False, with the reason, where it cannot be run.
  bool start(const std::string& program, StreamFormat format, std::string& why);
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

}  // namespace polytrace::agent::control
