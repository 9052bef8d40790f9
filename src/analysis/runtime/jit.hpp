// SPDX-License-Identifier: Apache-2.0
// What was compiled: methods with their code sizes in time order, and the runtime's own pieces of
// code by kind.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

std::unique_ptr<Analysis> make_jit(const Selection& selection);

}  // namespace polytrace::analysis
