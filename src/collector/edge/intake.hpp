// SPDX-License-Identifier: Apache-2.0
// Connections of agents on a Unix socket, and on 127.0.0.1 with a token: who they are, what they
// may, how much they may send. One thread, that of the context; Boost's types stay in intake.cpp.
// At most 4,000 programs, and so many of a user as the configuration says; a connection holds what
// is half of a frame.
#pragma once

#include <memory>

#include "collector/control/agents.hpp"
#include "collector/flow/pipeline.hpp"

namespace boost::asio {
class io_context;
}

namespace polytrace::collector {

class PositionAsker;

class Intake : public Agents {
 public:
  static constexpr unsigned kMostStreams = 4000;

  // Listens; a socket that nobody answers at is replaced. All outlive
  // this. Errors: open_failed.
  static base::result<std::unique_ptr<Intake>> open(boost::asio::io_context& context,
                                                    const Config& config, Pipeline& pipeline,
                                                    PositionAsker& asker, Figures& figures,
                                                    Tell tell);

  // Streams have news: credit is renewed, who is refused is sent away.
  virtual void look_at_news() = 0;
  // No more connections; says goodbye to those that are there. Removes the socket.
  virtual void close(std::string_view why) = 0;

 protected:
  Intake() = default;
};

}  // namespace polytrace::collector
