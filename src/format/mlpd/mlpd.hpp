// SPDX-License-Identifier: Apache-2.0
// The Mono log profiler's `.mlpd`: data versions 1 to 17 read, 17 and 1 written.
// Normative description: docs/formats/mlpd.md.
#pragma once

#include "format/format.hpp"

namespace polytrace::format::mlpd {

extern const Format kFormat;

}  // namespace polytrace::format::mlpd
