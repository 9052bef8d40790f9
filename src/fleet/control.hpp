// SPDX-License-Identifier: Apache-2.0
// Commands to recorded programs through a hub: POST /v1/agents/<command>. What one may say is the
// hub's to judge. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace polytrace::fleet {

// As people say it; empty: not told.
struct ControlOrder {
  std::string command{};
  std::string where{};
  std::uint64_t limit = 1;
  std::string rate{};
  std::uint64_t canary = 1;
  std::string wait{}, duration{}, size{}, text{};
  std::vector<std::string> events{}, filters{};
};

// Who is asked: a hub, or a collector that is both.
struct Hub {
  std::string url{};  // https://HOST:8471
  std::string token{};
  std::string ca{};  // whose certificates are believed; empty: those that the system believes
};

// What became of one program.
struct ControlFate {
  std::string series{}, service{}, host{}, instance{}, edge{}, outcome{}, text{};
};
struct ControlAnswer {
  int status = 0;      // HTTP
  std::string json{};  // as the hub gave it
  std::string order{}, canary{};
  std::uint64_t matched = 0;
  std::vector<std::string> silent{};  // edges that did not answer
  std::vector<ControlFate> fates{};
  bool is_done() const;  // by some, and by all who were asked
};

std::string order_json(const ControlOrder& order);
// Errors: store_unreachable; usage (400); open_failed, of another answer that has no JSON, with its
// first line; library_missing.
base::result<ControlAnswer> command_fleet(const Hub& hub, const ControlOrder& order);

}  // namespace polytrace::fleet
