// SPDX-License-Identifier: Apache-2.0
// What a hub does with its store that its own room has no words for: it answers the questions that
// it is asked at its door, as the page's server does, and rolls it up, as `fleet roll` does.
#pragma once

#include "collector/config/config.hpp"
#include "collector/hub/question_desk.hpp"
#include "collector/hub/store_roll.hpp"

namespace polytrace::cli {

// From the store of that configuration, which outlives it. Null where this program was built
// without the page, and so without its server. Any thread.
collector::AnswerStore answers_from_store(const collector::Config& config);

// What is due in the store of that configuration, which outlives it, and what is old, if it says
// so. Null where it does not roll.
collector::RollStore roll_of_store(const collector::Config& config);

}  // namespace polytrace::cli
