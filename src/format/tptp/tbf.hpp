// SPDX-License-Identifier: Apache-2.0
// The Trace Binary Format of TPTP, `.trcbin`: versions 0 and 1 of both byte orders read.
// Normative description: docs/formats/tbf.md.
#pragma once

#include "format/format.hpp"

namespace polytrace::format::tptp::tbf {

extern const Format kFormat;

}  // namespace polytrace::format::tptp::tbf
