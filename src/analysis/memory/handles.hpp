// SPDX-License-Identifier: Apache-2.0
// Handles that keep objects alive, and finalizers.
// Tables: handles, handle_leaks; finalization.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

// Handles created and destroyed by kind, and who created those that live at the end.
std::unique_ptr<Analysis> make_handles(const Selection& selection);

// Finalizer rounds and finalized objects.
std::unique_ptr<Analysis> make_finalization(const Selection& selection);

}  // namespace polytrace::analysis
