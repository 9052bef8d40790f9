// SPDX-License-Identifier: Apache-2.0
// The attribute tree at the end of a history tree file: a Java serialization stream of a list of
// string arrays (docs/formats/state-history-interchange.md, "Attribute tree"). What is read is
// exactly what Trace Compass writes there, not Java's serialization in general. Inside the room.
#pragma once

#include "base/io/source.hpp"
#include "base/notices.hpp"
#include "history/model/tree.hpp"

namespace polytrace::history {

// Reads from the source's present position, `offset` of the stream, to its end. Adds the paths to
// `tree`, the first with key 1. Errors: those of the source. Notices: where it ends or goes wrong;
// what was read before stays.
base::result<void> read_java_paths(base::Source& source, std::uint64_t offset, Tree& tree,
                                   base::Notices& notices);

}  // namespace polytrace::history
