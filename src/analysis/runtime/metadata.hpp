// SPDX-License-Identifier: Apache-2.0
// What was loaded and unloaded: domains, assemblies, images and contexts. Definitions: the selected
// time and thread do not apply.
// Tables: metadata (totals), domains, assemblies, images, contexts.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_metadata(const Selection& selection);

}  // namespace polytrace::analysis
