// SPDX-License-Identifier: Apache-2.0
// The two formats of TPTP, which share one catalogue of messages.
#pragma once

#include "format/format.hpp"

namespace polytrace::format::tptp {

// The Trace Binary Format, `.trcbin`: versions 0 and 1 of both byte orders read.
// Normative description: docs/formats/tbf.md.
extern const Format kTbfFormat;

// The XML trace format, `.trcxml`: documents, fragments, any encoding.
// Normative description: docs/formats/trcxml.md.
extern const Format kTrcxmlFormat;

}  // namespace polytrace::format::tptp
