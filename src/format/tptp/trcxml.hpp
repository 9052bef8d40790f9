// SPDX-License-Identifier: Apache-2.0
// The XML trace format of TPTP, `.trcxml`: documents, fragments, any encoding.
// Normative description: docs/formats/trcxml.md.
#pragma once

#include "format/format.hpp"

namespace polytrace::format::tptp::trcxml {

extern const Format kFormat;

}  // namespace polytrace::format::tptp::trcxml
