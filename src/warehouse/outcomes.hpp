// SPDX-License-Identifier: Apache-2.0
// How a command to a recorded program ended: the column `outcome` of `commands`. The numbers are
// the store's; the first six are those of the agents' control protocol.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace polytrace::warehouse {

enum class CommandOutcome : std::uint8_t {
  ok,
  unsupported,  // that agent cannot do it
  forbidden,    // by the edge's control.allow, or by the agent
  wrong_state,  // not now: PAUSE of what is not running
  invalid,      // it makes no sense
  failed,       // it was tried
  not_reached,  // its edge or it is away
  busy,         // another command, or too many of them, are under way
  no_answer,    // in time: it may still happen
  stopped,      // not sent, since the first ones did worse after it
  refused,      // who asks may not
  not_found,    // no program that is connected has such labels
  asked,        // the order itself, before anything of it is done
};
inline constexpr std::array<std::string_view, 13> kCommandOutcomes = {
    "ok",   "unsupported", "forbidden", "wrong_state", "invalid",   "failed", "not_reached",
    "busy", "no_answer",   "stopped",   "refused",     "not_found", "asked"};

// "wrong_state"; "?" for a number that is none.
constexpr std::string_view name_of(CommandOutcome outcome) {
  const auto index = static_cast<std::size_t>(outcome);
  return index < kCommandOutcomes.size() ? kCommandOutcomes[index] : "?";
}

}  // namespace polytrace::warehouse
