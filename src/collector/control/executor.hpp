// SPDX-License-Identifier: Apache-2.0
// An edge's side of remote control: which of its programs are meant, and what they do. What
// control.allow does not name is done by nobody, whoever asks. One command of a program at a time;
// all ends in time. Through the connections that bring data, which goes on meanwhile. One thread,
// the loop's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/control/agents.hpp"
#include "collector/control/order.hpp"
#include "warehouse/outcomes.hpp"

namespace boost::asio {
class io_context;
}

namespace polytrace::collector {

// A program that is meant.
struct Candidate {
  std::uint64_t number = 0;  // of its connection to its edge
  std::uint64_t series = 0;  // in the store; 0: it has recorded nothing yet
  std::string service{}, host{}, instance{};
};
struct Found {
  std::uint64_t matched = 0;
  std::vector<Candidate> first{};  // of these, by series
};
struct CommandResult {
  warehouse::CommandOutcome outcome = warehouse::CommandOutcome::failed;
  std::string text{};
};
using TakeResult = std::function<void(CommandResult)>;

class Executor {
 public:
  static constexpr std::size_t kMostAtOnce = 64;  // commands
  static constexpr unsigned kMostOfSecond = 100;

  // `database`: whose programs are meant; null: all of them are one tenant's.
  static std::unique_ptr<Executor> make(boost::asio::io_context& context, Agents& agents,
                                        const std::vector<std::string>& allow);
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  virtual Found find(const warehouse::Where& where, const std::string* database,
                     std::uint64_t most) const = 0;
  // `take` is called once, never from within the call.
  virtual void act(std::uint64_t number, const std::string* database, const Order& order,
                   TakeResult take) = 0;
  // Of a program that has obeyed: ok, failed where it does worse (health.hpp) or is gone,
  // wrong_state where nothing is known since. What stops recording tells nothing: ok.
  virtual CommandResult judge(std::uint64_t number) const = 0;
  // Longer nobody waits for what one program does.
  static std::chrono::seconds longest(Verb verb);

 protected:
  Executor() = default;
};

}  // namespace polytrace::collector
