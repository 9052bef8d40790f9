// SPDX-License-Identifier: Apache-2.0
// What a selection does with frames that match: rules, applied in their order. Which frames match
// is the caller's business. Pure; thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/profile/weighed.hpp"

namespace polytrace::analysis {

enum class RuleOp : std::uint8_t {
  only,      // what is inside frames that match, with all below; their callers stay, without theirs
  without,   // what is neither a frame that matches nor below one
  hide,      // matching frames count for their callers
  collapse,  // a matching frame and matching frames that it calls are one
  root,      // paths start at the outermost match
};
// "only", "not", "hide", "collapse", "root"; nothing for another word.
std::optional<RuleOp> find_rule_op(std::string_view word);

struct Rule {
  RuleOp op = RuleOp::only;
  MethodTest matches{};
};
// `unowned`: the frame of what `hide` leaves without any caller.
WeighedTree with_rule(const WeighedTree& tree, const Rule& rule, std::uint32_t unowned);

}  // namespace polytrace::analysis
