// SPDX-License-Identifier: Apache-2.0
// polytrace's own stream, `.ptrace`: what the agents record, and what holds every event without
// loss. Normative description: docs/formats/native.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "format/format.hpp"

namespace polytrace::format::native {

// Of writer.cpp.
base::result<std::unique_ptr<event::Writer>> create_writer(std::unique_ptr<base::Sink> sink,
                                                           const WriteOptions& options);

// --- a stream that ended without goodbye, and its segments ---

// Makes one file of both, in place: what the segments still hold goes behind the stream's blocks,
// then the stream's end (docs/formats/native.md, section 9). It takes the disk's room for what is
// new alone. Ended at any moment, nothing is lost or there twice: what a block has of a segment,
// its header tells.
struct Appended {
  std::uint64_t events = 0;
  std::uint64_t damaged = 0;  // segments of which a part cannot be read
};

// To the stream `path` what `path`.segments holds; that file stays. Bytes at the stream's end that
// are no whole block are given up first: their events are still in the segments.
// Errors: open_failed; not_recognised (no stream, or segments of another one); block_damaged (no
// header stands where the last block ends, far before the end of the file), write_failed. After an
// error both files hold what they held.
base::result<Appended> append_segments(const std::string& path);

}  // namespace polytrace::format::native
