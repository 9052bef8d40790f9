// SPDX-License-Identifier: Apache-2.0
// Reads sums of row segments, which may be damaged. Pure; any thread.
#pragma once

#include "store/file/sum_layout.hpp"

namespace polytrace::store {

// `least` of the frame, as the directory has it. Errors: those of base::read_svb, value_unexpected
// where columns do not fit each other, trailing_bytes.
base::result<RowSums> read_row_sums(SumKind kind, base::Bytes payload, base::Time least);

}  // namespace polytrace::store
