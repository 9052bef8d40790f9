// SPDX-License-Identifier: Apache-2.0
// Which part of a trace is meant, as C says it.
#pragma once

#include "capi/trace.hpp"

namespace polytrace::capi {

// Of a caller that may know less of it, or null.
pt_scan taken_scan(const pt_scan* scan);
// Errors: usage, where there is no such thread.
base::result<slice::Selection> selection_of(const OpenTrace& trace, const pt_scan& scan);

}  // namespace polytrace::capi
