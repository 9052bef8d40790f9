// SPDX-License-Identifier: Apache-2.0
// What keeps objects alive from outside the heap: reported roots by the registered region they lie
// in, or by the kind that older recorders told.
// Tables: roots, root_regions, root_kinds.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_roots(const Selection& selection);

}  // namespace polytrace::analysis
