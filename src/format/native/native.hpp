// SPDX-License-Identifier: Apache-2.0
// polytrace's own stream, `.ptrace`: what the agents record, and what holds every event without
// loss. Normative description: docs/formats/native.md.
#pragma once

#include "format/format.hpp"

namespace polytrace::format::native {

extern const Format kFormat;

}  // namespace polytrace::format::native
