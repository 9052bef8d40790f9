// SPDX-License-Identifier: Apache-2.0
// Analyses speak in the words of the room below.
#pragma once

#include "slice/names.hpp"
#include "slice/selection.hpp"
#include "slice/slice.hpp"

namespace polytrace::analysis {

using namespace slice;

}  // namespace polytrace::analysis
