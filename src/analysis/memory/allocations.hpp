// SPDX-License-Identifier: Apache-2.0
// What was allocated: by class, by site, by stack, by thread and over time.
// Tables: allocations, allocation_sites, allocation_stacks (a tree), allocation_threads,
// allocation_times.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_allocations(const Selection& selection);

}  // namespace polytrace::analysis
