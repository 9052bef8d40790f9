// SPDX-License-Identifier: Apache-2.0
// One timeline's changes within a segment as bytes: a run of blocks
// (docs/formats/state-history.md, "SEGM").
#pragma once

#include <span>

#include "base/io/appender.hpp"
#include "history/layout/segment_layout.hpp"
#include "history/layout/value_column.hpp"

namespace polytrace::history {

// Appends the run. REQUIRES: at least one change, times ascending from `first` on.
void put_run(base::Appender& to, std::span<const Change> changes, Tick first, TypeCode code);

}  // namespace polytrace::history
