// SPDX-License-Identifier: Apache-2.0
// The Mono block format of 2007 and the two forms in which Mono's logging profiler shipped it
// (docs/formats/monoblock.md).
#pragma once

#include "format/format.hpp"

namespace polytrace::format::monoblock {

extern const Format kFormat;

}  // namespace polytrace::format::monoblock
