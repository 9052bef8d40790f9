// SPDX-License-Identifier: Apache-2.0
// A heap snapshot as a dump that VisualVM and Eclipse MAT open.
#pragma once

#include <optional>

#include "analysis/heap/questions.hpp"
#include "analysis/heap/study.hpp"
#include "base/io/sink.hpp"

namespace polytrace::exports {

// Whether a study that has read everything has a snapshot to write: the wanted one, else the last
// complete one. Errors are usage and say what there is.
base::result<void> find_snapshot(const analysis::HeapStudy& study,
                                 std::optional<std::uint64_t> wanted);

// What was approximated: docs/formats/hprof.md, section 9. The sink is not committed.
base::result<void> write_heap_dump(const analysis::HeapView& view, base::Sink& sink);

}  // namespace polytrace::exports
