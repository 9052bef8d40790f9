// SPDX-License-Identifier: Apache-2.0
// Connections of agents on a Unix socket: who they are, what they may, how much they may send. One
// thread, that of the context; Boost's types stay in intake.cpp. At most 4,000 programs, 64 of a
// user; a connection holds what is half of a frame.
#pragma once

#include <memory>

#include "collector/flow/pipeline.hpp"

namespace boost::asio {
class io_context;
}

namespace polytrace::collector {

class Intake {
 public:
  static constexpr unsigned kMostStreams = 4000;
  static constexpr unsigned kMostOfUser = 64;

  // Listens; a socket that nobody answers at is replaced. Errors: open_failed.
  static base::result<std::unique_ptr<Intake>> open(boost::asio::io_context& context,
                                                    const Config& config, Pipeline& pipeline,
                                                    Figures& figures, Tell tell);
  virtual ~Intake() = default;
  Intake(const Intake&) = delete;
  Intake& operator=(const Intake&) = delete;

  // Streams have news: credit is renewed, who is refused is sent away.
  virtual void look_at_news() = 0;
  // No more connections; says goodbye to those that are there. Removes the socket.
  virtual void close(std::string_view why) = 0;

 protected:
  Intake() = default;
};

}  // namespace polytrace::collector
