// SPDX-License-Identifier: Apache-2.0
// HPROF, the heap dumps of Java virtual machines, 1.0.1 and 1.0.2: docs/formats/hprof.md.
#pragma once

#include "format/format.hpp"

namespace polytrace::format::hprof {

extern const Format kFormat;

}  // namespace polytrace::format::hprof
