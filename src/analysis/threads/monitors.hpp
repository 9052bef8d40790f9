// SPDX-License-Identifier: Apache-2.0
// Who waited for which lock: contentions and the time until the lock was had or given up, by lock,
// by class of the lock's object, by site and by thread.
// Tables: monitors, monitor_totals, monitor_classes, monitor_sites, monitor_stacks (a tree),
// monitor_threads.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_monitors(const Selection& selection);

}  // namespace polytrace::analysis
