// SPDX-License-Identifier: Apache-2.0
// The threads of the trace: name, id, how long they were seen, how much they recorded.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_threads(const Selection& selection);

}  // namespace polytrace::analysis
