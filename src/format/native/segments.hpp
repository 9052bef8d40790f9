// SPDX-License-Identifier: Apache-2.0
// What a recorder that ended without goodbye left in its segment file (docs/formats/native.md,
// section 9): made into blocks, each event once, those that the stream has already left out. One
// thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "base/notices.hpp"
#include "event/reader.hpp"
#include "format/native/segments_taken.hpp"
#include "format/native/wire/record_encoder.hpp"
#include "format/native/wire/segment_records.hpp"
#include "format/native/wire/words.hpp"

namespace polytrace::format::native {

class Segments {
 public:
  // The file's segments that hold more than was taken. Fails where it cannot be read, or is no
  // segment file of that stream.
  static base::result<std::unique_ptr<Segments>> open(const std::string& path, std::uint64_t stream,
                                                      const SegmentsTaken& taken);
  ~Segments();
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;

  // One further block, without index and checksums; false at the end.
  bool next(base::RawArray<std::byte>& block);

  std::uint64_t events() const { return events_; }    // given so far
  std::uint64_t damaged() const { return damaged_; }  // segments of which a part cannot be read

 private:
  struct Found {
    SegmentHeader header;
    std::uint64_t offset = 0;
    std::uint32_t taken = 0;
  };

  explicit Segments(int file) : file_(file) {}
  void find(const SegmentsTaken& taken);
  bool read_at(std::uint64_t offset, void* into, std::size_t size) const;
  std::uint64_t next_data(std::uint64_t offset) const;
  bool open_next();
  template <class Content>
  bool encode(Content& content, base::RawArray<std::byte>& block);

  int file_;
  std::uint64_t size_ = 0;
  std::vector<Found> found_;
  std::size_t next_ = 0;  // of found_
  std::uint64_t events_ = 0;
  std::uint64_t damaged_ = 0;
  std::vector<std::uint64_t> content_;  // of the segment that is open
  SegmentContent kind_ = SegmentContent::words;
  std::uint64_t number_ = 0;  // of that segment, as blocks tell it
  SegmentWords words_;
  SegmentRecords records_;
  std::unique_ptr<RecordEncoder> encoder_ = std::make_unique<RecordEncoder>();
};

}  // namespace polytrace::format::native
