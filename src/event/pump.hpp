// SPDX-License-Identifier: Apache-2.0
// Moves a whole trace from a reader to a consumer, using every core.
//
// Each worker takes the next chunk, decodes it into a batch and shows that to survey(). Then it
// hands the batch in: to consume() at once when its turn has come, else to the worker that is
// consuming. So order-free work scales with the cores, ordered work overlaps with decoding, and
// nobody waits unless all batches there are lie ready.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "event/reader.hpp"

namespace polytrace::event {

class Consumer {
 public:
  Consumer() = default;
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  virtual ~Consumer() = default;

  // Once, before any batch. Workers are numbered 0 to workers - 1.
  virtual void begin(unsigned workers) { static_cast<void>(workers); }
  // Batches in any order, concurrently for different workers, before settle(): counters in it are
  // still differences. For work whose parts can be merged.
  virtual void survey(const Batch& batch, unsigned worker) {
    static_cast<void>(batch), static_cast<void>(worker);
  }
  // Batches in input order, from changing threads. False stops: faults read ahead are not told.
  virtual bool consume(const Batch& batch) {
    static_cast<void>(batch);
    return true;
  }
};

struct PumpOptions {
  unsigned workers = 0;  // 0 = one per core
  // Not null: set it to stop early from outside.
  const std::atomic<bool>* stop = nullptr;
  // Called now and then, never concurrently, with the reader's source: progress.
  std::function<void(const base::Source&)> progress{};
};

struct PumpOutcome {
  Tally tally;                       // over all batches that were consumed
  base::Notices notices;             // of the reader and of all batches
  std::optional<base::Error> error;  // of the source: what was read before it has been consumed
};

PumpOutcome pump(Reader& reader, Consumer& consumer, const PumpOptions& options = {});

}  // namespace polytrace::event
