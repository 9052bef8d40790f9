// SPDX-License-Identifier: Apache-2.0
// Who used the processors: methods, as far as calls tell their thread's CPU time; threads and the
// process, where it was recorded now and then.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_cpu_times(const Selection& selection);

}  // namespace polytrace::analysis
