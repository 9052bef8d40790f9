// SPDX-License-Identifier: Apache-2.0
// Decodes whole blocks (docs/formats/native.md, sections 3 to 8) into a batch. One thread at a
// time.
#pragma once

#include <string>

#include "event/batch.hpp"
#include "format/native/read/body_reader.hpp"
#include "format/native/read/call_run.hpp"
#include "format/native/read/clock.hpp"
#include "format/native/read/records.hpp"

namespace polytrace::format::native {

class BlockReader {
 public:
  // Both outlive the reader.
  BlockReader(const Context& context, event::Batch& batch)
      : context_(context), clock_(context), batch_(batch) {}

  // A block whose checksums are right. `offset` is that of its header.
  void read(const BlockHeader& header, base::Bytes payload, std::uint64_t offset);

 private:
  // What a block's events met that is no fault of the block: said once.
  struct Odd {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;
    std::string detail{};
  };

  void read_events(base::Cursor& in);
  void read_clock(base::Cursor& in);
  void read_sites(base::Cursor& in);

  void read_calls(base::Cursor& in);
  void read_record(base::Cursor& in);
  void read_call(base::Cursor& in, unsigned first);
  void read_other(base::Cursor& in, Record record);
  void read_event(base::Cursor& in);
  void read_body_of(event::Kind kind, base::Cursor& body, const BodyHead& head);
  void follow(event::Kind kind, base::Id method);
  void read_thread(base::Cursor& in);
  void read_unwind(base::Cursor& in, bool last);
  void read_alloc(base::Cursor& in, bool array);
  event::Stack stack_of(const Site& site);
  void leave_innermost(base::Cursor& in, event::Kind kind);

  void begin(std::uint64_t first_tick, base::Id thread);
  void add_call(event::Kind kind, base::Id method) {
    batch_.add_plain(clock_.time(tick_), thread_, method, kind);
  }
  // Counts what was decoded since the last count.
  void tally(const base::Cursor& in, std::uint8_t number);
  void tally(const base::Cursor& in, Tallied number) {
    tally(in, static_cast<std::uint8_t>(number));
  }
  void meet(Odd& odd, std::uint64_t offset, std::uint64_t bytes = 0);
  void tell(Odd& odd, base::Code code);
  void tell(base::Code code, std::uint64_t offset, std::uint64_t bytes, std::string detail = {});
  base::Place place(std::uint64_t offset) const;

  const Context& context_;
  Clock clock_;
  event::Batch& batch_;
  Frames frames_;

  // Of the block being read.
  const BlockHeader* header_ = nullptr;
  std::uint64_t block_ = 0;    // offset of its header
  std::uint64_t counted_ = 0;  // offset up to which every byte is accounted for
  std::uint64_t tick_ = 0;
  base::Id method_ = 0;
  std::uint16_t thread_ = 0;
  unsigned threads_ = 0;
  std::uint64_t skipped_ = 0;  // events of which the body could not be read
  Odd unknown_kinds_;
  Odd longer_bodies_;
  Odd clamped_;
  Odd unknown_values_;
  Odd unknown_sites_;
};

}  // namespace polytrace::format::native
