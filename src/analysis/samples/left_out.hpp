// SPDX-License-Identifier: Apache-2.0
// What the recording leaves out by choice, as its settings and filters tell: what is not here was
// not measured, and the time of methods that are not is their callers'. Settings: the selected time
// and thread do not apply.
// Tables: left_out.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_left_out(const Selection& selection);

}  // namespace polytrace::analysis
