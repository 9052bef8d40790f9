// SPDX-License-Identifier: Apache-2.0
// The programs whose agents are connected here, for who commands them. One thread, the loop's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/control/protocol/frames.hpp"
#include "collector/flow/pulse.hpp"

namespace polytrace::collector {

struct HeldAgent {
  std::uint64_t number = 0;  // of its connection: never used anew
  std::string database{};    // where its rows go
  bool obeys = false;        // else another client controls it
  // It gives bytes of a stream that has not ended.
  bool is_streaming = false;
  Pulse::Who who{};
  std::shared_ptr<const Pulse> pulse{};  // of its last stream; null: it has had none
};

// What an agent said of one message.
struct AgentAnswer {
  bool is_there = true;  // false: the connection is gone
  agent::control::Message message{};
  agent::control::Outcome outcome = agent::control::Outcome::failed;
  std::uint64_t state = 0;  // agent::State
  std::string text{};
};

class Agents {
 public:
  virtual ~Agents() = default;
  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;

  virtual std::vector<HeldAgent> held() const = 0;
  // number 0: it is not here.
  virtual HeldAgent held(std::uint64_t number) const = 0;
  // `hear` is called for each answer, of which a heap dump has two, and once without one where the
  // connection ends; never from within the call. One message of an agent at a time: what was asked
  // before is heard no more.
  virtual void ask(std::uint64_t number, agent::control::Message message,
                   const agent::control::Body& body, std::function<void(AgentAnswer)> hear) = 0;

 protected:
  Agents() = default;
};

}  // namespace polytrace::collector
