// SPDX-License-Identifier: Apache-2.0
// Cuts a file behind its head into chunks: records that are no heap dump, as events already, or
// whole parts of a heap dump, or a piece of one long array. Knows how long things are, and keeps
// what later ones need (docs/formats/hprof.md, sections 3 and 4). One thread at a time.
#pragma once

#include "base/notices.hpp"
#include "event/reader.hpp"
#include "format/hprof/definitions.hpp"
#include "format/hprof/layout/context.hpp"
#include "format/hprof/layout/header.hpp"
#include "format/hprof/layout/parts.hpp"
#include "format/hprof/layout/window.hpp"

namespace polytrace::format::hprof {

class Framing {
 public:
  Framing(base::Source& source, const Header& header, const event::ReadOptions& options);

  // False at the end.
  base::result<bool> next(event::Chunk& chunk);
  const base::Notices& notices() const { return notices_; }

 private:
  using Done = base::result<void>;
  struct Head {
    Tag tag;
    base::Time time;
    std::uint64_t length;
  };

  // Records.
  Head head() const;
  Done read_records(event::Batch& said);
  Done read_record(event::Batch& said);
  void tell_record(event::Batch& said, const Head& head, base::Bytes body);
  void begin_segment(const Head& head);
  void end_dump(event::Batch& said);
  void tell_file(event::Batch& said) const;
  // Parts of a heap dump.
  base::result<bool> read_parts(event::Chunk& chunk);
  Done gather(event::Chunk& chunk);
  std::size_t whole_parts(base::Bytes view);
  Done read_hard_part(event::Chunk& chunk);
  Done begin_array(event::Chunk& chunk, const Measured& measured);
  Done read_array(event::Chunk& chunk);
  void learn_class(base::Bytes part, std::uint64_t offset);
  Done lose_segment(base::Code code, std::string detail);

  void tell_truncated();
  void tell_end();
  void take_part(std::size_t count) {
    window_.take(count);
    left_ -= count;
  }
  std::shared_ptr<Context> context();

  Header header_;
  base::Limits limits_;
  base::Source& source_;
  Window window_;
  base::Notices notices_;
  Definitions definitions_;
  std::uint64_t chunks_ = 0;
  bool ended_ = false;

  // Of the heap dump.
  Classes classes_;
  // In the chunk being filled.
  base::LayeredMap<Id, Classes::Known>::Layer learned_;
  FieldNames field_names_;
  base::Time time_ = 0;
  std::uint64_t left_ = 0;  // bytes of the segment
  bool in_segment_ = false;
  bool lone_ = false;                // a dump of one record, which has no end mark
  std::uint64_t segment_heads_ = 0;  // that no chunk has told yet
  std::uint64_t dumps_ = 0;
  bool open_ = false;    // a dump has begun
  bool starts_ = false;  // and no chunk has told it yet
  // Of a long array.
  std::optional<ArrayPiece> array_;
  std::uint64_t array_left_ = 0;  // bytes of its elements
  std::uint64_t array_head_ = 0;  // bytes that no chunk has told yet
};

}  // namespace polytrace::format::hprof
