// SPDX-License-Identifier: Apache-2.0
// What makes an index at its place, of a trace that is whole and of one that grows: of this folder
// alone.
#pragma once

#include "service/index/build.hpp"
#include "service/input/indexed.hpp"
#include "store/store.hpp"

namespace polytrace::service {

// What is wrong with the place, and what to do then.
Refusal refuse_place(const store::IndexPlace& place, const base::Error& error);
// Null: somebody else builds it. A folder that is removed between being made and being locked is
// made again.
base::result<std::optional<store::FolderLock>> lock_place(const store::IndexPlace& place);
// Waits for who else builds it; null if that follows a trace that grows, or when asked to stop.
base::result<std::optional<store::FolderLock>> wait_for_place(const store::IndexPlace& place,
                                                              const Asking& asking);

// What is to become an index, and the place for it.
struct Making {
  const store::SourceIdentity& source;
  const store::IndexPlace& place;
  base::ContentHash& content;  // of what the reader reads
};
// What the input's Asking, the reader and the source say of the job, which must not outlive
// `making`.
store::IndexJob index_job(const Input& input, const format::Opened& opened, const Making& making);
// Reads the whole trace. REQUIRES: the place is locked.
base::result<event::PumpOutcome> write_index(const Input& input, const format::Opened& opened,
                                             const Making& making);
// Of what was found, while it grows, until Asking::stop.
Asked<BuiltIndex> follow_trace(const Input& input, const FoundIndex& found);
// What is known of it now; older ones in the cache make room.
Asked<BuiltIndex> conclude(const Input& input, BuiltIndex built);

}  // namespace polytrace::service
