// SPDX-License-Identifier: Apache-2.0
// Puts blocks (docs/formats/native.md, section 3) together and hands them to the output, several at
// a time. The writer thread's.
#pragma once

#include "agent/common/memory/clock.hpp"
#include "agent/common/memory/status.hpp"
#include "agent/common/stream/output.hpp"
#include "format/native/wire/record_encoder.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent {

class BlockWriter {
 public:
  // Memory, and the stream's header. False: no memory. `status` and `output` stay the caller's.
  bool start(Output& output, Status& status, std::uint64_t stream);

  // Records of the next block, in memory of their own: other blocks may be put before it.
  format::native::RecordEncoder& begin(std::uint64_t first_tick, base::Id thread);
  // That block, from words `before` to `after` of segment number `segment` (0: of none).
  void finish(std::uint64_t segment = 0, std::uint32_t before = 0, std::uint32_t after = 0);
  // A block whose payload is there already; `header` says what it is.
  void put(format::native::BlockHeader header, base::Bytes payload);
  void put_clock(const format::native::ClockLine& line);

  // Everything so far to the output. Gives errno; after an error nothing more is written.
  int flush();
  // The end block, and flush().
  int end(std::uint64_t tick);
  // No further call but of counters: memory goes.
  void release();
  int error() const { return error_; }
  // Counts what flush() has written: blocks whose segments may be forgotten.
  std::uint64_t blocks_put() const { return index_; }
  std::uint64_t blocks_written() const { return written_; }

 private:
  void append(const void* bytes, std::size_t size);

  Output* output_ = nullptr;
  Status* status_ = nullptr;
  std::byte* buffer_ = nullptr;
  std::byte* scratch_ = nullptr;
  format::native::RecordEncoder* encoder_ = nullptr;
  std::size_t filled_ = 0;
  std::uint64_t index_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t events_ = 0;  // in the buffer
  int error_ = 0;
};

}  // namespace polytrace::agent
