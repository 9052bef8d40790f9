// SPDX-License-Identifier: Apache-2.0
// A trace rewritten record by record, as another format of its family or as its own in canonical
// form. Exact, since nothing passes through the common events. One thread at a time.
#pragma once

#include "base/io/source.hpp"
#include "base/notices.hpp"
#include "event/writer.hpp"

namespace polytrace::format {

class Rewriter {
 public:
  Rewriter() = default;
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;
  virtual ~Rewriter() = default;

  // For people, of the input: "1.0 little-endian".
  virtual std::string version() const = 0;
  // Rewrites some more records; false at the end of the input. Errors are of source and sink.
  virtual base::result<bool> next() = 0;
  virtual void leave_open() = 0;  // see event::Writer
  // Writes what is held back and commits the sink. Without it nothing appears.
  virtual base::result<void> finish() = 0;

  virtual std::uint64_t records() const = 0;  // that were rewritten so far
  virtual base::Notices notices() const = 0;  // about the input; complete when next() gave false
  virtual event::Loss loss() const = 0;       // fields that the target cannot hold
  virtual const base::Source& source() const = 0;
};

}  // namespace polytrace::format
