// SPDX-License-Identifier: Apache-2.0
// The pieces that the source was read in, as the index keeps them; read from it when first asked.
// Any number of threads.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "sql/trace/trace.hpp"

namespace polytrace::sql {

class Chunks {
 public:
  struct Span {
    base::Time first = base::kNoTime;  // of its first event that has a time, and of its last
    base::Time last = base::kNoTime;
  };

  explicit Chunks(std::shared_ptr<const Trace> trace) : trace_(std::move(trace)) {}

  // How many there are. Errors: those of the index.
  base::result<std::uint64_t> rows() const;
  // What follows needs rows() to have succeeded; of a piece that there is.
  std::uint64_t offset(std::uint64_t row) const { return offsets_[row]; }
  std::uint64_t first_event(std::uint64_t row) const { return ordinals_[row]; }
  std::uint64_t events(std::uint64_t row) const { return ordinals_[row + 1] - ordinals_[row]; }
  // The piece that has an event; nothing where none has.
  std::optional<std::uint64_t> with_event(std::uint64_t ordinal) const;
  // Reads all events of the trace, the first time. Errors: those of the index; query_timeout when
  // asked to stop: then the next one tries again.
  base::result<void> find_times(const std::atomic<bool>* stop) const;
  // Needs find_times() to have succeeded.
  Span span(std::uint64_t row) const { return spans_[row]; }

 private:
  base::result<void> load() const;
  base::result<void> take(const store::IndexView& view, std::size_t entry) const;

  std::shared_ptr<const Trace> trace_;
  mutable std::once_flag once_;
  mutable std::optional<base::Error> fault_;
  mutable std::vector<std::uint64_t> offsets_;
  mutable std::vector<std::uint64_t> ordinals_;  // of their first events, and, last, of none
  mutable std::mutex mutex_;                     // guards the making of what follows
  mutable std::vector<Span> spans_;
};

}  // namespace polytrace::sql
