// SPDX-License-Identifier: Apache-2.0
// The collector as a whole: takes the streams of agents that dial its socket, keeps them, sends
// what they add up to. Runs on the caller's thread and threads of its own until SIGTERM or SIGINT;
// SIGHUP reads the configuration anew. Signals are its own while it runs.
#pragma once

#include <functional>

#include "collector/config/config.hpp"
#include "collector/flow/figures.hpp"
#include "collector/hub/question_desk.hpp"
#include "collector/hub/store_roll.hpp"

namespace polytrace::collector {

struct CollectHands {
  Tell tell;  // one call at a time; "started": agents and questions are taken from now on
  std::function<base::result<Config>()> configure;  // what SIGHUP asks for
  AnswerStore answer{};                             // of a hub, questions to its store
  RollStore roll{};                                 // likewise, where it is to roll it up
};

// How it ended: nothing is left, or rows wait in the spool for the next time. Errors: those of the
// folder, the socket, the port; of a store that can be reached and has no tables.
struct Ended {
  bool store_has_all = true;
};
base::result<Ended> collect(const Config& config, const CollectHands& hands);

}  // namespace polytrace::collector
