// SPDX-License-Identifier: Apache-2.0
// The reading door of a format. Reading has three steps so that the expensive one can use every
// core: fetch() cuts the input into chunks of whole frames, in order, one thread at a time;
// decode() turns a chunk into a batch, any chunks at once; settle() finishes batches in input
// order with what depends on earlier ones (differences against a previous value).
// The pump (pump.hpp) does all this; next() is the plain sequential form.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/io/source.hpp"
#include "base/notices.hpp"
#include "base/raw_array.hpp"
#include "event/batch.hpp"

namespace polytrace::event {

// Whole frames as fetched. Reuse one object: its memory is recycled.
struct Chunk {
  base::RawArray<std::byte> bytes;
  std::uint64_t offset = 0;       // of bytes[0] in the (decompressed) stream
  std::uint64_t sequence = 0;     // 0, 1, 2 ...; chunk 0 also carries what the file header says
  std::uint64_t first_frame = 0;  // number of the first frame in it, for messages
  // What earlier frames decided for these, of a type that the reader knows; null when nothing.
  std::shared_ptr<const void> context{};
};

struct ReadOptions {
  base::Limits limits{};
  bool resync = false;  // after a broken frame, search for the next one
  // The file with what a stream's recorder had not written when it ended; empty = the reader looks
  // beside the stream. Only formats that have such files use it.
  std::string segments{};
};

class Reader {
 public:
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  virtual ~Reader() = default;

  // For people: "17" or "1.0 little-endian".
  virtual std::string version() const = 0;
  // False at the end. Errors are of the source; faults of the content go to notices().
  virtual base::result<bool> fetch(Chunk& chunk) = 0;
  // Replaces the content of `batch`. Thread-safe against itself and fetch().
  virtual void decode(const Chunk& chunk, Batch& batch) const = 0;
  // Called once per batch, in chunk order, never concurrently, with the chunk it was made from.
  virtual void settle(Chunk& chunk, Batch& batch) {
    static_cast<void>(chunk), static_cast<void>(batch);
  }
  // Faults that fetch() met: between frames, and at the end. Complete when fetch() gave false and
  // what it gave before is settled; not beside settle() then.
  virtual const base::Notices& notices() const = 0;
  virtual const base::Source& source() const = 0;

  // fetch, decode and settle in one. False at the end.
  base::result<bool> next(Batch& batch) {
    const auto more = fetch(chunk_);
    if (!more || !*more) return more;
    decode(chunk_, batch);
    settle(chunk_, batch);
    return true;
  }

 private:
  Chunk chunk_;
};

}  // namespace polytrace::event
