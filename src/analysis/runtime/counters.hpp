// SPDX-License-Identifier: Apache-2.0
// The runtime's own counters: last, least and greatest value, and values over time.
// Table: counters. Its column `series` holds up to 60 values at equal distances in time, separated
// by commas, each the last one known then.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_counters(const Selection& selection);

}  // namespace polytrace::analysis
