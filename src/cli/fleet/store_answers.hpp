// SPDX-License-Identifier: Apache-2.0
// The questions that a hub is asked at its door, answered as the page's server answers them.
#pragma once

#include "collector/config/config.hpp"
#include "collector/hub/question_desk.hpp"

namespace polytrace::cli {

// From the store of that configuration, which outlives it. Null where this program was built
// without the page, and so without its server. Any thread.
collector::AnswerStore answers_from_store(const collector::Config& config);

}  // namespace polytrace::cli
