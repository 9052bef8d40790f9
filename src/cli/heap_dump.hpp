// SPDX-License-Identifier: Apache-2.0
// A heap snapshot as a dump that VisualVM and Eclipse MAT open.
#pragma once

#include <memory>

#include "analysis/heap_questions.hpp"
#include "base/sink.hpp"

namespace polytrace::cli {

// What was approximated: docs/formats/hprof.md, section 9.
base::result<void> write_heap_dump(const analysis::HeapView& view,
                                   std::unique_ptr<base::Sink> sink);

}  // namespace polytrace::cli
