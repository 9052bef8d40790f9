// SPDX-License-Identifier: Apache-2.0
// Steering a recording that goes on: one conversation with the agent in the program.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "agent/control/client.hpp"
#include "service/input/pass.hpp"

namespace polytrace::service {

struct ControlQuestion {
  std::string target{};   // the number of a process, a socket, or ":PORT"
  std::string command{};  // one of control_commands()
  // start: events=LIST, duration=TIME, limit=BYTES, session=NAME; filters: rules; option:
  // NAME=VALUE; heap-dump: a name; annotate: the text.
  std::vector<std::string> arguments{};
  std::string token_file{};  // of an agent that listens on a port
};
std::vector<std::string> control_commands();

// What the agent said.
struct Steered {
  agent::control::Welcome welcome{};
  agent::control::Answer answer{};

  bool is_done() const { return answer.outcome == agent::control::Outcome::ok; }
};
Asked<Steered> steer(const ControlQuestion& question);

// Ends the recording in a process that can be steered; the program goes on. Errors: their detail
// says why it goes on.
base::result<void> stop_recording(pid_t process);

// {"schema": "polytrace.control/1", ...}
std::string control_json(std::string_view command, const Steered& steered);

}  // namespace polytrace::service
