// SPDX-License-Identifier: Apache-2.0
// One order carried out: the programs that are meant are looked for at all edges, the first ones
// are commanded alone and looked at for a while, the others follow at a rate. What became of each
// is told as it comes. One thread, the loop's; kept alive by what it waits for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collector/control/edge_post.hpp"

namespace polytrace::collector {

// What became of one program, or of all that were meant.
struct Fate {
  std::string edge{};
  Candidate whom{};
  CommandResult result{};
};

struct CampaignEnd {
  std::uint64_t matched = 0;
  std::vector<std::string> silent{};  // edges that did not answer who they have
  std::vector<Fate> outcomes{};       // by series
  std::string canary{};               // what was found of the first ones; empty: they were all
};

struct CampaignHands {
  std::function<void(const Fate&)> each{};  // one row
  std::function<void(CampaignEnd)> end{};   // once, behind all of them
};

// `edges` are asked for programs whose rows go to that database.
void carry_out(boost::asio::io_context& context, Wish wish, std::string database,
               std::vector<std::shared_ptr<EdgePost>> edges, CampaignHands hands);

}  // namespace polytrace::collector
