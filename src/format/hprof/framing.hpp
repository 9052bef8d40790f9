// SPDX-License-Identifier: Apache-2.0
// Cuts a file behind its head into chunks: records that are no heap dump, as events already, or
// whole parts of a heap dump, or a piece of one long array. Knows how long things are, and keeps
// what later ones need (docs/formats/hprof.md, sections 3 and 4). One thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "base/io/source.hpp"
#include "base/notices.hpp"
#include "event/reader.hpp"
#include "format/hprof/decoders.hpp"
#include "format/hprof/held_objects.hpp"
#include "format/hprof/layout/context.hpp"
#include "format/hprof/layout/header.hpp"
#include "format/hprof/layout/parts.hpp"

namespace polytrace::format::hprof {

// The part of a source that is being looked at: as much as is asked for, and what was read behind
// it.
class Window {
 public:
  Window(base::Source& source, std::uint64_t offset) : source_(source), offset_(offset) {}

  // Reads until `count` bytes are there, or the source ends.
  base::result<void> want(std::size_t count) {
    while (view().size() < count && !ended_) {
      bytes_.drop_front(begin_);
      begin_ = 0;
      // What a length claims may never come.
      const std::size_t room = std::clamp(count - bytes_.size(), kPiece, kMostAtOnce);
      const auto got = base::append_from(source_, bytes_, room);
      if (!got) return base::Unexpected(got.error());
      ended_ = *got == 0;
    }
    return {};
  }
  base::Bytes view() const { return base::Bytes(bytes_).subspan(begin_); }
  std::uint64_t offset() const { return offset_; }  // of view() in the stream
  bool ended() const { return ended_; }
  // REQUIRES: that many in view().
  void take(std::size_t count) {
    begin_ += count;
    offset_ += count;
  }
  // Passes over as many as there are, without keeping them; how many there were.
  base::result<std::uint64_t> skip(std::uint64_t count) {
    for (std::uint64_t left = count;;) {
      const std::uint64_t here = std::min<std::uint64_t>(left, view().size());
      take(here);
      left -= here;
      if (left == 0 || ended_) return count - left;
      if (auto done = want(1); !done) return base::Unexpected(done.error());
    }
  }

 private:
  static constexpr std::size_t kPiece = 256 * 1024;
  static constexpr std::size_t kMostAtOnce = 1024 * 1024;

  base::Source& source_;
  base::RawArray<std::byte> bytes_;
  std::size_t begin_ = 0;
  std::uint64_t offset_;
  bool ended_ = false;
};

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

  static constexpr std::size_t kAhead = std::size_t{64} * 1024;  // looked at where a segment ends
  static constexpr std::uint64_t kLongPart = std::uint64_t{1}
                                             << 20;  // longer arrays come in pieces
  // Of a segment whose end is not known; what was read of it since shows in the lower bits.
  static constexpr std::uint64_t kOpenEnd = std::uint64_t{1} << 62;

  // Records.
  Head head() const;
  Done read_records(event::Batch& said);
  Done read_record(event::Batch& said);
  void tell_record(event::Batch& said, const Head& head, base::Bytes body);
  void begin_segment(const Head& head);
  bool waits();
  Done read_held(event::Chunk& chunk);
  void end_dump(event::Batch& said);
  void tell_file(event::Batch& said) const;
  // Parts of a heap dump.
  base::result<bool> read_parts(event::Chunk& chunk);
  Done gather(event::Chunk& chunk);
  base::result<std::size_t> whole_parts(base::Bytes view, std::size_t before);
  Done meet_part(base::Bytes part, std::uint64_t offset, std::size_t at);
  void meet_value_type(std::uint8_t type);
  bool knows(Id type);
  Done read_hard_part(event::Chunk& chunk);
  Done begin_array(std::uint64_t bytes);
  Done read_array(event::Chunk& chunk);
  void learn_class(base::Bytes part, std::uint64_t offset);
  Done pass_values(std::uint64_t count);
  Done lose_segment(base::Code code, std::string detail);
  // Where segments end (docs/formats/hprof.md, section 4).
  base::result<bool> parts_go_on();
  base::result<bool> part_goes_on();
  base::result<std::uint64_t> size_over_border();
  Done cross_border();
  base::result<bool> has_part_bytes();
  Done fill(base::RawArray<std::byte>& out, std::size_t count);
  void tell_length(std::string_view what);
  bool is_open_ended() const { return left_ > std::numeric_limits<std::uint32_t>::max(); }

  void tell_truncated();
  void tell_cut(std::uint64_t bytes);
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
  base::IdMap<Id> supers_;       // by class, of those that are described
  std::uint64_t described_ = 1;  // class dumps so far, and one
  // Before the hash table: objects come in runs of a few classes.
  struct Recent {
    Id type = 0;
    std::uint64_t described = 0;  // when it was looked up
    bool is_known = false;
  };
  std::array<Recent, 256> recent_{};
  ToldObjects told_;  // of this dump
  HeldObjects held_;
  bool releases_ = false;        // what is held comes before all else
  std::uint16_t types_met_ = 0;  // of values, a bit for each whose arrays have no class
  // In the chunk being filled.
  base::LayeredMap<Id, Classes::Known>::Layer learned_;
  std::vector<std::size_t> passed_here_;
  std::uint16_t named_by_type_ = 0;
  FieldNames field_names_;
  base::Time time_ = 0;
  std::uint64_t left_ = 0;  // bytes of the segment; kOpenEnd and less: until no part follows
  bool in_segment_ = false;
  bool lacks_length_ = false;        // of the segment
  bool lone_ = false;                // a dump of one record, which has no end mark
  std::uint64_t segment_heads_ = 0;  // that no chunk has told yet
  std::uint64_t dumps_ = 0;
  bool open_ = false;    // a dump has begun
  bool starts_ = false;  // and no chunk has told it yet
  bool has_roots_ = false;
  bool class_roots_ = false;
  std::vector<Id> boot_classes_;  // those of the boot loader
  // Of a long array.
  std::optional<ArrayPiece> array_;
  std::uint64_t array_left_ = 0;  // bytes of its elements
  std::uint64_t array_head_ = 0;  // bytes that no chunk has told yet
};

}  // namespace polytrace::format::hprof
