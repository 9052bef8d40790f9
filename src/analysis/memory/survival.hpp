// SPDX-License-Identifier: Apache-2.0
// What became of allocated objects: how many died, at what age, and how many are still there at the
// end, by class and by the place that made them. And where that looks like a leak.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_survival(const Selection& selection);

}  // namespace polytrace::analysis
